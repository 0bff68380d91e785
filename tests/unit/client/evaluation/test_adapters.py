"""Each format of samples: recognised by its fields, and right programs pass while wrong ones do not."""

import base64
import json
import pickle
import zlib
from typing import Any

import pytest

from code_judge.contract import Submission
from code_judge_client.evaluation import ADAPTERS, SampleError
from code_judge_client.evaluation.adapters import adapter_for
from tests.support.dataset_rows import (
    APPS_STREAMS,
    CASES,
    CODE_CONTESTS,
    HUMANEVAL,
    LIVE_FUNCTION,
    LIVE_STREAMS,
    MBPP,
    STREAM_RIGHT,
)
from tests.support.harmless_runs import run


def submissions(row: dict[str, Any]) -> list[Submission]:
    return list(adapter_for(row).submissions(row))


def passes(submission: Submission) -> bool:
    return run(submission.model_dump(mode="json")).success


@pytest.mark.parametrize(("name", "problem", "right", "wrong"), CASES)
def test_right_programs_pass_and_wrong_ones_do_not(
    name: str, problem: dict[str, Any], right: dict[str, Any], wrong: dict[str, Any]
) -> None:
    assert adapter_for({**problem, **right}) is ADAPTERS[name]
    [good] = submissions({**problem, **right})
    [bad] = submissions({**problem, **wrong})
    assert passes(good)
    assert not passes(bad)


@pytest.mark.parametrize("leave", ["import sys; sys.exit(0)", "import os; os._exit(0)", "raise SystemExit"])
def test_a_program_cannot_pass_by_leaving_before_its_tests(leave: str) -> None:
    for problem in (HUMANEVAL, MBPP):
        [submission] = submissions({**problem, "solution": leave})
        assert not passes(submission)


def test_our_own_format_is_taken_as_it_is() -> None:
    row = {"id": "a", "type": "cpp", "solution": "int main(){}", "expected_output": "", "right": True}
    [submission] = submissions(row)
    assert submission == Submission(type="cpp", solution="int main(){}", expected_output="")


@pytest.mark.parametrize(
    ("problem", "field"),
    [(HUMANEVAL, "completions"), (MBPP, "generations"), (APPS_STREAMS, "code_list")],
)
def test_a_row_may_bring_several_programs(problem: dict[str, Any], field: str) -> None:
    row = {**problem, field: ["pass  # 1", "pass  # 2", "pass  # 3"]}
    row.pop("code", None)
    assert [it.solution.count(f"pass  # {n}") for n, it in enumerate(submissions(row), 1)] == [1, 1, 1]


@pytest.mark.parametrize(
    "problem", [HUMANEVAL, MBPP, {**APPS_STREAMS, "solutions": json.dumps([STREAM_RIGHT])}]
)
def test_a_dataset_without_programs_is_judged_by_its_own(problem: dict[str, Any]) -> None:
    [submission] = submissions(problem)
    assert passes(submission)


@pytest.mark.parametrize(
    ("returns", "outputs", "values"),
    [
        ("", [[4], [6]], [4, 6]),
        ("", [[4], [6, 7]], [[4], [6, 7]]),
        (" -> int", [[4], [6]], [4, 6]),
        (" -> List[int]", [[4], [6]], [[4], [6]]),
        (" -> List[int]", [[[4]], [[]]], [[4], []]),
        (" -> list[list[int]]", [[[4]]], [[[4]]]),
        (" -> Optional[List[str]]", [[["a"]]], [["a"]]),
    ],
)
def test_values_of_apps_are_taken_out_of_the_lists_that_wrap_them(
    returns: str, outputs: list[Any], values: list[Any]
) -> None:
    pairs = {"fn_name": "f", "inputs": [[1]] * len(outputs), "outputs": outputs}
    starter = f"class Solution:\n    def f(self, n: List[int]){returns}:\n"
    [submission] = submissions({"input_output": pairs, "starter_code": starter, "code": "pass"})
    assert [it.expected for it in submission.tests or ()] == values


def test_a_test_list_has_one_result_for_each_test() -> None:
    [submission] = submissions(MBPP)
    assert submission.tests
    assert len(submission.tests) == 2


def test_all_tests_of_code_contests_are_run_within_its_limit() -> None:
    [submission] = submissions({**CODE_CONTESTS, "solution": STREAM_RIGHT, "language": "PYTHON3"})
    assert [it.input for it in submission.tests or ()] == ["2\n", "3\n"]
    assert submission.time_limit == 1.5
    assert submission.type == "python"


def test_live_code_benchs_packed_tests_are_unpacked() -> None:
    cases = json.dumps([{"input": "5\n", "output": "10", "testtype": "stdin"}])
    packed = base64.b64encode(zlib.compress(pickle.dumps(cases))).decode()
    [submission] = submissions({**LIVE_STREAMS, "private_test_cases": packed, "code": STREAM_RIGHT})
    assert [it.input for it in submission.tests or ()] == ["2\n", "5\n"]


class Harmful:
    """What somebody could put into a dataset."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (print, ("ran somebody's code",))


def test_a_packed_test_that_would_run_code_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    packed = base64.b64encode(zlib.compress(pickle.dumps(Harmful()))).decode()
    with pytest.raises(SampleError, match="only text"):
        submissions({**LIVE_STREAMS, "private_test_cases": packed, "code": STREAM_RIGHT})
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"task_id": "x", "completion": "y"}, "--problems"),
        ({**HUMANEVAL, "test": "class TestCases(unittest.TestCase): ..."}, "no known format"),
        ({**MBPP, "test_list": []}, "test_list is empty"),
        (APPS_STREAMS, "no program"),
        ({**APPS_STREAMS, "code": "x", "input_output": "{"}, "input_output is not JSON"),
        ({**APPS_STREAMS, "code": "x", "input_output": {"inputs": []}}, "inputs and outputs"),
        ({**APPS_STREAMS, "code": "x", "input_output": {"inputs": [], "outputs": []}}, "make no tests"),
        ({**CODE_CONTESTS, "code": "x", "public_tests": {"input": ["1"]}}, "make no tests"),
        ({**LIVE_FUNCTION, "code": "x", "metadata": "{}"}, "func_name"),
        ({**LIVE_STREAMS, "code": "x", "private_test_cases": "%%%"}, "cannot be unpacked"),
        ({"type": "python", "solution": 7}, "solution"),
    ],
)
def test_what_a_row_lacks_is_told(row: dict[str, Any], told: str) -> None:
    with pytest.raises(SampleError, match=told):
        submissions(row)


def test_every_adapter_is_tried_here() -> None:
    assert {name for name, *_ in CASES} | {"submissions"} == set(ADAPTERS)
