"""docs/clients.md says what the clients do."""

import re
from pathlib import Path

from code_judge_client import JudgeClient, _errors
from code_judge_client.evaluation import ADAPTERS
from code_judge_client.evaluation._pass_at_k import KS
from code_judge_client.evaluation.adapters._fields import PROGRAM_FIELDS, PROGRAMS_FIELDS, TASK_FIELDS
from code_judge_client.verl import JudgeConfig, _text

PAGE = (Path(__file__).parents[3] / "docs" / "clients.md").read_text()


def first_cells(heading: str) -> set[str]:
    """The names in the first column of the table under a heading."""
    section = PAGE.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    rows = [line for line in section.splitlines() if line.startswith("|")]
    return {name for row in rows[2:] for name in re.findall(r"`(\w+)`", row.split("|")[1])}


def test_every_method_of_the_client_is_told() -> None:
    methods = {name for name in vars(JudgeClient) if not name.startswith("_")} - {"open", "close"}
    assert first_cells("One program, many programs") == methods


def test_the_tree_of_errors_is_the_codes() -> None:
    classes = {
        name for name, it in vars(_errors).items() if isinstance(it, type) and issubclass(it, Exception)
    }
    assert (
        set(re.findall(r"(\w+) {2,}", PAGE.split("## Errors")[1].split("## ")[0])) | {"JudgeClientError"}
        == classes
    )


def test_every_key_of_the_verl_tools_is_told_with_its_default() -> None:
    section = PAGE.split("## verl\n", 1)[1].split("### Rewards", 1)[0]
    rows = [line.split("|") for line in section.splitlines() if line.startswith("| `")]
    told = {name: row[2].strip(" `") for row in rows for name in re.findall(r"`(\w+)`", row[1])}
    defaults = {name: info.default for name, info in JudgeConfig.model_fields.items()}
    for name, default in defaults.items():
        assert told.pop(name) in (
            str(default),
            f"{default:g}" if isinstance(default, float) else "",
            "none",
            "the judge's",
        )
    assert told == {}


def test_the_text_of_a_tool_call_is_the_codes() -> None:
    assert _text.__doc__
    for line in (
        "Tool call success",
        "Tool call failure",
        "reason: ",
        "stdout: ",
        "stderr: ",
        "execution time: 0.01s",
    ):
        assert line in PAGE
        assert line in _text.__doc__


def test_every_format_and_field_of_samples_is_told() -> None:
    assert first_cells("code-judge eval") == set(ADAPTERS)
    section = PAGE.split("## code-judge eval", 1)[1]
    for name in (*PROGRAM_FIELDS, *PROGRAMS_FIELDS, *TASK_FIELDS):
        assert f"`{name}`" in section
    assert f"each k of {', '.join(map(str, KS))}" in section
