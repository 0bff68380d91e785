"""A judge in this machine's strongest sandbox."""

import sys
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import pytest

from code_judge.contract import Result, Submission
from code_judge.settings import Settings
from code_judge_workers.judge import SandboxExecutor

Judge: TypeAlias = Callable[..., Result]
"""Judges a submission, given by its fields, as a client would send it."""


@pytest.fixture(scope="session")
def executor() -> Iterator[SandboxExecutor]:
    """A node's executor with the bare template and numpy's."""
    settings = Settings(python_executor_path=sys.executable, max_workers=2, warm_templates="numpy")
    executor = SandboxExecutor(settings)
    try:
        executor.start()
        yield executor
    finally:
        executor.stop()


@pytest.fixture(scope="session")
def judge(executor: SandboxExecutor) -> Judge:
    def judge(**fields: Any) -> Result:
        return executor.prepare(Submission.model_validate(fields)).result()

    return judge
