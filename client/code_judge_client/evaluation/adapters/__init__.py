"""One adapter for each format of samples: a name, a test for its rows, and the submissions in a row."""

from collections.abc import Iterator
from typing import Protocol

from code_judge.contract import Submission

from .._sample import SampleError
from . import _apps, _code_contests, _humaneval, _live_code_bench, _mbpp, _own
from ._fields import Row, task_of, without_programs


class Adapter(Protocol):
    """What each module here offers."""

    NAME: str

    def recognises(self, row: Row) -> bool:
        """Whether the row has the fields that only this format has."""
        ...

    def submissions(self, row: Row) -> Iterator[Submission]:
        """What is to be judged. Raises SampleError."""
        ...


ADAPTERS: dict[str, Adapter] = {
    it.NAME: it for it in (_own, _humaneval, _live_code_bench, _apps, _code_contests, _mbpp)
}
"""By name, in the order in which they are asked whether a row is theirs."""


def adapter_for(row: Row) -> Adapter:
    """Raises SampleError where no format has such rows."""
    for adapter in ADAPTERS.values():
        if adapter.recognises(row):
            return adapter
    known = ", ".join(ADAPTERS)
    raise SampleError(
        f"fields {', '.join(row)} are of no known format ({known}); where the samples have only task_id and "
        "the program, name the dataset's own file with --problems"
    )


__all__ = ["ADAPTERS", "Adapter", "Row", "adapter_for", "task_of", "without_programs"]
