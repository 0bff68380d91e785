"""APPS and TACO: ``input_output`` with ``inputs``, ``outputs`` and, for tests of a function, ``fn_name``."""

import re
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
    yield from judged_by(row, lambda program: _tests(row, program))


def _tests(row: Row, program: str) -> list[TestCase]:
    pairs = parsed(row, "input_output")
    if not isinstance(pairs, dict) or "inputs" not in pairs or "outputs" not in pairs:
        raise SampleError("input_output should have inputs and outputs")
    name = pairs.get("fn_name")
    if not name:
        return stream_tests(pairs["inputs"], pairs["outputs"])
    values = _unwrapped(pairs["outputs"], row.get("starter_code") or "")
    return call_tests(method_or_function(name, program), pairs["inputs"], values)


def _unwrapped(outputs: list[Any], starter_code: str) -> list[Any]:
    """The dataset wraps most functions' values into a list of one; the starter code tells where such a list
    is the value itself."""
    if not all(isinstance(value, list) and len(value) == 1 for value in outputs):
        return outputs
    values = [value[0] for value in outputs]
    depth = len(re.findall(r"[Ll]ist\[", starter_code.partition("->")[2]))
    return values if all(_is_nested(value, depth) for value in values) else outputs


def _is_nested(value: Any, depth: int) -> bool:
    """Whether it can be a list of so many levels; an empty one is of any."""
    return depth == 0 or (isinstance(value, list) and all(_is_nested(it, depth - 1) for it in value))
