"""Judges for the client's integration tests: one that fails as it is told to, and a whole real one."""

import sys
from collections.abc import Iterator

import pytest

from code_judge_cli.local_judge import LocalJudge
from code_judge_client._loop_thread import LoopThread
from tests.support.fake_judge import FakeJudge
from tests.support.harmless_runs import really_run


@pytest.fixture
def harmless_judge() -> Iterator[FakeJudge]:
    """A fake judge that really runs Python, in an event loop that is not the test's."""
    thread = LoopThread("fake-judge")
    judge = FakeJudge(really_run)
    thread.call(judge.start())
    yield judge
    thread.call(judge.stop())
    thread.stop()


@pytest.fixture(scope="session")
def real_judge() -> Iterator[LocalJudge]:
    """Redis, a worker node and a master. Tests that use it need a Redis server."""
    settings = {"MAX_WORKERS": "2", "LOG_LEVEL": "ERROR", "PYTHON_EXECUTOR_PATH": sys.executable}
    with LocalJudge(settings) as judge:
        yield judge
