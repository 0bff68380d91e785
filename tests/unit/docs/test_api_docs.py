"""docs/api.md says what the code does."""

import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from fastapi.routing import APIRoute
from pydantic import BaseModel

from code_judge.contract import PLAIN_FIELDS, FunctionCall, Result, Submission, TestCase, TestResult, Verdict
from code_judge.errors import SettingsError
from code_judge.master import admin_routes, cluster_routes, metrics_routes, page_routes, submission_routes
from code_judge.master.http_errors import STATUS

PAGE = (Path(__file__).parents[3] / "docs" / "api.md").read_text()


def table(heading: str) -> dict[str, list[str]]:
    """The rows of the table under a heading, by their first cell, without the table's own head."""
    section = PAGE.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    rows = [
        re.split(r"\s*\|\s*", line.strip("| \n")) for line in section.splitlines() if line.startswith("|")
    ]
    return {row[0].strip("`"): row[1:] for row in rows[2:]}


def routes() -> Iterable[str]:
    for module in (submission_routes, cluster_routes, metrics_routes, admin_routes, page_routes):
        for route in module.router.routes:
            assert isinstance(route, APIRoute)
            yield from (f"{method} {route.path}" for method in route.methods or ())


def test_every_route_is_documented_and_no_other() -> None:
    assert set(table("Routes")) == set(routes())


def test_every_field_of_a_submission_is_documented_and_no_other() -> None:
    assert set(table("Submission")) == set(Submission.model_fields)


@pytest.mark.parametrize(("heading", "model"), [("Tests", TestCase), ("Function calls", FunctionCall)])
def test_every_field_of_a_test_is_documented_and_no_other(heading: str, model: type[BaseModel]) -> None:
    assert set(table(heading)) == set(model.model_fields)


def test_the_examples_of_the_page_are_submissions() -> None:
    examples = re.findall(r'^```\n(\{"type".*?)^```', PAGE, re.MULTILINE | re.DOTALL)

    assert [Submission.model_validate_json(it).type for it in examples] == ["python", "jupyter"]


def test_required_fields_are_documented_as_such() -> None:
    documented = {name for name, cells in table("Submission").items() if cells[-1].endswith("Required.")}

    assert documented == {name for name, field in Submission.model_fields.items() if field.is_required()}


def test_every_field_of_a_result_is_documented_and_no_other() -> None:
    documented = table("Result")

    assert set(documented) == set(Result.model_fields)
    assert tuple(name for name, cells in documented.items() if cells[0] == "yes") == PLAIN_FIELDS


def test_the_fields_of_single_tests_are_documented() -> None:
    [text] = table("Result")["tests"][1:]

    assert set(re.findall(r"`(\w+)`", text)) - {"tests"} == set(TestResult.model_fields)


@pytest.mark.parametrize("verdict", list(Verdict))
def test_every_verdict_is_documented_with_its_reason_and_whether_to_mask_it(verdict: Verdict) -> None:
    reason, mask, _ = table("Verdicts")[verdict]

    assert reason.strip("`") == verdict.reason
    assert mask.startswith("yes") == verdict.is_ours


def test_no_verdict_is_documented_that_there_is_not() -> None:
    assert set(table("Verdicts")) == set(Verdict)


def test_every_status_is_documented() -> None:
    answered = {STATUS[kind] for kind in STATUS if not kind.__subclasses__() and kind is not SettingsError}

    assert {int(status) for status in table("Status codes")} == {200, *answered}
