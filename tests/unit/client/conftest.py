"""A judge that runs nothing, and what is sent to it."""

from collections.abc import AsyncIterator

import pytest

from code_judge.contract import Submission
from code_judge_client import JudgeClient, RetryPolicy
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
async def client(judge: FakeJudge) -> AsyncIterator[JudgeClient]:
    async with JudgeClient(judge.url, retry=QUICK) as opened:
        yield opened
