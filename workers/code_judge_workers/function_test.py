"""Function-style tests: a submission's function is called with JSON and its value compared as JSON.

The comparison is here, not in the sandbox, and the expected value never goes there. Code that shares a
process with the harness can write any answer in the function's stead, but has to know the right one.
"""

import json
import os
import secrets
from dataclasses import replace
from typing import Any

from code_judge.contract import CheckerKind, CheckerSpec, FunctionCall

from .programs import main_script
from .sandbox.outcome import Outcome
from .sandbox.program import Program

MODULE = "solution"
"""Name by which the submission is imported, so that what it does only as a main script is not done."""
SLACK_BYTES = 1000
LENGTH_FACTOR = 4
"""An answer that is longer than the expected one by this factor and slack is wrong and is not parsed: numbers
may be spelled longer or shorter, but not by that much."""


def calling(program: Program, source: str, call: FunctionCall) -> Program:
    """``program``, whose file ``source`` is the submission, as one that calls one of its functions."""
    answer = f".{secrets.token_hex(16)}"
    order = {
        "module": MODULE,
        "function": call.function,
        "args": call.args,
        "kwargs": call.kwargs,
        "answer": answer,
    }
    moved = {f"{MODULE}.py": program.files[source], source: main_script("function_call", order)}
    return replace(program, files={**program.files, **moved}, artifact=answer)


def returned(outcome: Outcome, expected: Any, checker: CheckerSpec) -> bool:
    """Whether the call returned what was expected; False where it did not return."""
    if outcome.artifact is None:
        return False
    longest = LENGTH_FACTOR * len(json.dumps(expected)) + SLACK_BYTES
    answer = os.pread(outcome.artifact, longest + 1, 0)
    if len(answer) > longest:
        return False
    try:
        value = json.loads(answer)
    except (ValueError, RecursionError):
        return False
    return equal(value, expected, checker.tolerance if checker.kind is CheckerKind.FLOAT else None)


def equal(got: Any, want: Any, tolerance: float | None = None) -> bool:
    """Equality of JSON values as Python sees it; decimal numbers may differ by the tolerance, absolute or
    relative to the expectation, whole numbers may not."""
    if isinstance(want, dict):
        return (
            isinstance(got, dict)
            and got.keys() == want.keys()
            and all(equal(got[key], value, tolerance) for key, value in want.items())
        )
    if isinstance(want, list):
        return (
            isinstance(got, list)
            and len(got) == len(want)
            and all(equal(*pair, tolerance) for pair in zip(got, want, strict=True))
        )
    return bool(got == want) or (tolerance is not None and _close(got, want, tolerance))


def _close(got: Any, want: Any, tolerance: float) -> bool:
    numbers = isinstance(got, int | float) and isinstance(want, int | float)
    if not numbers or (isinstance(got, int) and isinstance(want, int)):
        return False
    try:
        return bool(abs(got - want) <= max(tolerance, tolerance * abs(want)))
    except OverflowError:  # a whole number beyond any double
        return False
