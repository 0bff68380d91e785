"""Our own format: each line is a submission, with ``id`` and ``task_id`` where it has them, and ``right``
where the file itself is under test."""

from collections.abc import Iterator

from pydantic import ValidationError

from code_judge.contract import Submission

from .._sample import SampleError
from ._fields import Row

NAME = "submissions"


def recognises(row: Row) -> bool:
    return "type" in row and "solution" in row


def submissions(row: Row) -> Iterator[Submission]:
    try:
        yield Submission.model_validate(row)
    except ValidationError as error:
        problem = error.errors()[0]
        raise SampleError(f"{'.'.join(str(part) for part in problem['loc'])}: {problem['msg']}") from None
