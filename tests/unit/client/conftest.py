"""A judge that runs nothing, and what is sent to it."""

from collections.abc import AsyncIterator, Iterator

import pytest

from code_judge.contract import Submission
from code_judge_client import JudgeClient, RetryPolicy
from code_judge_client._loop_thread import LoopThread
from tests.support.fake_judge import FakeJudge

QUICK = RetryPolicy(first_pause_s=0.001, longest_pause_s=0.01)
"""So that tests need not wait for pauses."""


def program(text: str, **fields: object) -> Submission:
    """A program that prints this text, as far as the fake judge is concerned."""
    return Submission.model_validate({"type": "python", "solution": "…", "input": text, **fields})


@pytest.fixture
async def judge() -> AsyncIterator[FakeJudge]:
    async with FakeJudge() as running:
        yield running


@pytest.fixture
def far_judge() -> Iterator[FakeJudge]:
    """A judge whose event loop is not the test's."""
    thread = LoopThread("fake-judge")
    judge = FakeJudge()
    thread.call(judge.start())
    yield judge
    thread.call(judge.stop())
    thread.stop()


@pytest.fixture
async def client(judge: FakeJudge) -> AsyncIterator[JudgeClient]:
    async with JudgeClient(judge.url, retry=QUICK) as opened:
        yield opened
