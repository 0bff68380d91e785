"""CodeContests: ``public_tests``, ``private_tests`` and ``generated_tests``, each with lists of ``input`` and
``output``, and a ``time_limit`` of seconds and nanoseconds."""

from collections.abc import Iterator
from typing import Any

from code_judge.contract import Submission

from ._fields import Row, parsed
from ._io_tests import judged_by, stream_tests

NAME = "code_contests"
TESTS = ("public_tests", "private_tests", "generated_tests")


def recognises(row: Row) -> bool:
    return "public_tests" in row


def submissions(row: Row) -> Iterator[Submission]:
    inputs: list[Any] = []
    outputs: list[Any] = []
    for name in TESTS:
        part = parsed(row, name) or {}
        inputs += part.get("input") or []
        outputs += part.get("output") or []
    tests = stream_tests(inputs, outputs)
    yield from judged_by(row, lambda _: tests, _time_limit(row))


def _time_limit(row: Row) -> float | None:
    limit = row.get("time_limit")
    if isinstance(limit, dict):
        limit = limit.get("seconds", 0) + limit.get("nanos", 0) / 1e9
    return limit or None
