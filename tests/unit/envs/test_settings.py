"""The environment's settings, and docs/openenv.md, which lists them."""

import pytest

from code_judge_env.server.app import loaded_transform
from code_judge_env.server.errors import EnvSettingsError
from code_judge_env.server.settings import EnvSettings
from code_judge_env.server.tools import TOOLS, CodeTool, RunArguments, checked
from tests.support.pages import page, table


def test_every_setting_is_documented_with_its_default_and_no_other() -> None:
    rows = table(page("docs/openenv.md"), "Settings")

    assert list(rows) == [name.upper() for name in EnvSettings.model_fields]
    for name, field in EnvSettings.model_fields.items():
        value = field.default
        plain = f"{value:g}" if isinstance(value, int | float) else str(value or "not set")
        assert rows[name.upper()][0].strip("`") == plain


def test_every_tool_is_documented_and_no_other() -> None:
    assert set(table(page("docs/openenv.md"), "The agent's tools")) == {tool.name for tool in TOOLS}


def test_a_bad_value_is_named_with_its_variable() -> None:
    with pytest.raises(EnvSettingsError, match="MAX_CONCURRENT_ENVS='many'"):
        EnvSettings.from_env({"MAX_CONCURRENT_ENVS": "many"})


def test_an_empty_variable_counts_as_not_set() -> None:
    assert EnvSettings.from_env({"JUDGE_URL": "", "MAX_STEPS": ""}) == EnvSettings()


@pytest.mark.parametrize("name", ["nowhere:x", "json:nothing", "json", ":"])
def test_a_transform_that_is_not_there_stops_the_start(name: str) -> None:
    with pytest.raises(EnvSettingsError, match="module:name"):
        loaded_transform(name)


@pytest.mark.parametrize("name", ["reset", "step", "state", "close"])
def test_a_tool_with_a_name_of_openenvs_own_stops_the_start(name: str) -> None:
    with pytest.raises(EnvSettingsError, match=name):
        checked([*TOOLS, CodeTool(name, "", RunArguments, {})])
