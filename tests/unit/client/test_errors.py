"""The error tree."""

import pickle

import pytest

from code_judge_client import (
    AccessDenied,
    BadAnswer,
    ClientClosed,
    ConnectionFailed,
    JudgeBusy,
    JudgeClientError,
    JudgeTimeout,
    JudgeUnavailable,
    RequestRefused,
    ServerFailed,
)
from code_judge_client import _errors as tree

ERRORS: list[JudgeClientError] = [
    ClientClosed("it is closed"),
    JudgeTimeout("too late"),
    RequestRefused("no such field", 422),
    AccessDenied("no key", 401),
    ServerFailed("it broke"),
    BadAnswer("not JSON"),
    JudgeUnavailable("not now"),
    ConnectionFailed("no route"),
    JudgeBusy("full", retry_after_s=2.0, paused=True),
]


def test_the_drawing_names_every_class() -> None:
    classes = {
        name for name, it in vars(tree).items() if isinstance(it, type) and it.__module__ == tree.__name__
    }
    assert classes == {type(error).__name__ for error in ERRORS} | {"JudgeClientError"}
    assert tree.__doc__
    for name in classes:
        assert name in tree.__doc__


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_errors_cross_process_boundaries_whole(error: JudgeClientError) -> None:
    for copy in (pickle.loads(pickle.dumps(error)), error.fresh()):
        assert type(copy) is type(error)
        assert str(copy) == str(error)
        assert vars(copy) == vars(error)


def test_a_timeout_is_a_timeout_error_to_those_who_know_no_other() -> None:
    assert issubclass(JudgeTimeout, TimeoutError)
