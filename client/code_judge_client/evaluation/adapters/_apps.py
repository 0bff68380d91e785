"""APPS and TACO: ``input_output`` with ``inputs``, ``outputs`` and, for tests of a function, ``fn_name``."""

from collections.abc import Iterator
from typing import Any

from code_judge.contract import Submission, TestCase

from .._sample import SampleError
from ._fields import Row, parsed
from ._io_tests import call_tests, judged_by, method_or_function, stream_tests

NAME = "apps"


def recognises(row: Row) -> bool:
    return "input_output" in row


def submissions(row: Row) -> Iterator[Submission]:
    yield from judged_by(row, _tests(row))


def _tests(row: Row) -> list[TestCase]:
    pairs = parsed(row, "input_output")
    if not isinstance(pairs, dict) or "inputs" not in pairs or "outputs" not in pairs:
        raise SampleError("input_output should have inputs and outputs")
    name = pairs.get("fn_name")
    if not name:
        return stream_tests(pairs["inputs"], pairs["outputs"])
    return call_tests(method_or_function(name, row), pairs["inputs"], _unwrapped(pairs["outputs"]))


def _unwrapped(outputs: list[Any]) -> list[Any]:
    """The dataset wraps most functions' values into a list of one."""
    wrapped = all(isinstance(value, list) and len(value) == 1 for value in outputs)
    return [value[0] for value in outputs] if wrapped else outputs
