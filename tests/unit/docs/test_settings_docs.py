"""docs/settings.md says what code_judge/settings.py does."""

from enum import StrEnum
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from pydantic.fields import FieldInfo

from code_judge.settings import Settings
from tests.support.pages import page, table

ROWS = {
    name: row
    for heading in ("Redis and the queue", "The master", "Runs", "The node", "Logs")
    for name, row in table(page("docs/settings.md"), heading).items()
}


def type_in_words(field: FieldInfo) -> str:
    kind: Any = field.annotation
    if kind is bool:
        return "switch"
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return " ".join(f"`{choice}`" for choice in kind)
    words = {int: "whole number", float: "number", str: "text", SecretStr | None: "text", Path | None: "path"}
    return words[kind]


def default_in_words(name: str, field: FieldInfo) -> str:
    if name == "max_workers":
        return "number of CPUs"
    value = field.default
    if value is None or value == "":
        return "not set"
    return f"`{int(value) if isinstance(value, bool | float) and value == int(value) else value}`"


def test_every_setting_has_a_row_and_every_row_a_setting() -> None:
    assert list(ROWS) == [name.upper() for name in Settings.model_fields]


@pytest.mark.parametrize("name", Settings.model_fields)
def test_a_settings_type_and_default_are_those_of_the_code(name: str) -> None:
    field = Settings.model_fields[name]
    kind, default, meaning = ROWS[name.upper()]

    assert (kind, default) == (type_in_words(field), default_in_words(name, field))
    assert meaning
