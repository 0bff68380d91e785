"""Tests as inputs and outputs, of standard streams or of a function."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from code_judge.contract import FunctionCall, Submission, TestCase

from .._sample import SampleError
from ._fields import Row, as_text, whole_programs

CHECKER = "float"
"""These datasets' outputs are words and numbers; their own graders take decimals that are nearly right, and
do not look at white space."""


def stream_tests(inputs: Sequence[Any], outputs: Sequence[Any]) -> list[TestCase]:
    """Tests of stdin and stdout. Raises SampleError where the two do not match."""
    _require_pairs(inputs, outputs)
    return [
        TestCase(input=as_text(given), expected_output=as_text(wanted))
        for given, wanted in zip(inputs, outputs, strict=True)
    ]


def call_tests(function: str, arguments: Sequence[list[Any]], values: Sequence[Any]) -> list[TestCase]:
    """Tests of a function's value. Raises SampleError where the two do not match."""
    _require_pairs(arguments, values)
    return [
        TestCase(call=FunctionCall(function=function, args=args), expected=value)
        for args, value in zip(arguments, values, strict=True)
    ]


def _require_pairs(inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
    if not inputs or len(inputs) != len(outputs):
        raise SampleError(f"{len(inputs)} inputs and {len(outputs)} outputs make no tests")


def judged_by(
    row: Row, tests_of: Callable[[str], list[TestCase]], time_limit: float | None = None
) -> Iterator[Submission]:
    """The row's programs, each with its tests; ``language`` names theirs, Python where it is missing."""
    for program in whole_programs(row):
        yield Submission(
            type=_type_of(str(row.get("language", "python"))),
            solution=program,
            tests=tests_of(program),
            checker=CHECKER,
            time_limit=time_limit,
            stop_on_first_failure=True,
        )


def method_or_function(name: str, program: str) -> str:
    """The function as its tests call it: a method of ``Solution`` where the program has such a class."""
    return f"Solution.{name}" if "class Solution" in program else name


def _type_of(language: str) -> str:
    lowered = language.lower()
    return {"c++": "cpp", "python3": "python", "py": "python"}.get(lowered, lowered)
