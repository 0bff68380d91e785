"""Every error of ours has its HTTP status, and one shape."""

from collections.abc import Iterator

import pytest

from code_judge.errors import JudgeError, RetryLater
from code_judge.master.http_errors import STATUS, answer_error


def tree(root: type[JudgeError]) -> Iterator[type[JudgeError]]:
    yield root
    for child in root.__subclasses__():
        yield from tree(child)


def test_every_class_of_the_tree_has_a_status() -> None:
    assert set(tree(JudgeError)) == set(STATUS)


@pytest.mark.parametrize("kind", list(STATUS))
async def test_every_error_is_answered_in_the_same_shape(kind: type[JudgeError]) -> None:
    answer = await answer_error(None, kind("what happened"))  # type: ignore[arg-type]

    assert answer.status_code == STATUS[kind]
    assert answer.body == b'{"detail":"what happened"}'


@pytest.mark.parametrize("kind", list(tree(RetryLater)))
async def test_whoever_is_to_retry_is_told_when(kind: type[RetryLater]) -> None:
    answer = await answer_error(None, kind("later", retry_after_s=7))  # type: ignore[arg-type]

    assert answer.headers["retry-after"] == "7"
