"""MBPP: ``test_list`` of assertions, after ``test_imports`` and ``test_setup_code``. Without a program of the
caller's, the dataset's own ``code`` is judged."""

from collections.abc import Iterator

from code_judge.contract import Submission

from .._sample import SampleError
from ._checks import checked_program
from ._fields import Row, whole_programs

NAME = "mbpp"


def recognises(row: Row) -> bool:
    return "test_list" in row


def submissions(row: Row) -> Iterator[Submission]:
    tests = [*row["test_list"], *(row.get("challenge_test_list") or [])]
    if not tests:
        raise SampleError("test_list is empty: no test would pass every program")
    setup = "\n".join([*(row.get("test_imports") or []), row.get("test_setup_code") or ""])
    for program in whole_programs(row):
        yield checked_program(f"{program}\n\n{setup}", tests)
