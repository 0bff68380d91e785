"""A cold and a warm executor, started when first used, and one way to run a program on both."""

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import cache
from typing import TypeAlias

import pytest

from code_judge.settings import SandboxChoice, Settings
from code_judge_workers.judge import SandboxExecutor

from .case import Case, Seen, observe

TEXT_LIMIT = 1 << 20
"""Characters of a stream in a result: the whole of it is compared."""

Both: TypeAlias = Callable[[Case], tuple[Seen, Seen]]
"""Runs a program cold and warm."""


@contextmanager
def running_executor(**settings: object) -> Iterator[SandboxExecutor]:
    """An executor for two programs at a time, stopped at the end."""
    defaults: dict[str, object] = {
        "python_executor_path": sys.executable,
        "max_workers": 2,
        "max_stdout_error_length": TEXT_LIMIT,
    }
    executor = SandboxExecutor(Settings.from_env({}, **{**defaults, **settings}))
    try:
        executor.start()
        yield executor
    finally:
        executor.stop()


def cold_and_warm(stack: ExitStack, **settings: object) -> Both:
    """Two executors, both stopped with the stack, that differ in nothing but how they start programs."""
    cold = stack.enter_context(running_executor(warm_starts=False, **settings))
    warm = stack.enter_context(running_executor(warm_starts=True, **settings))
    return side_by_side(cold, warm)


def side_by_side(cold: SandboxExecutor, warm: SandboxExecutor) -> Both:
    """Runs a program on both at once."""

    def run(case: Case) -> tuple[Seen, Seen]:
        with ThreadPoolExecutor(1) as other:
            seen_cold = other.submit(observe, cold, case)
            seen_warm = observe(warm, case)
            return seen_cold.result(), seen_warm

    return run


@pytest.fixture(scope="module")
def warm() -> Iterator[SandboxExecutor]:
    """The executor as nodes have it: the machine's strongest sandbox and all templates."""
    with running_executor() as executor:
        yield executor


@pytest.fixture(scope="module")
def both(warm: SandboxExecutor) -> Iterator[Both]:
    """That one, and one that starts every program cold."""
    with running_executor(warm_starts=False) as cold:
        yield side_by_side(cold, warm)


@pytest.fixture(scope="module")
def both_in_tier() -> Iterator[Callable[[SandboxChoice], Both]]:
    """As :func:`both` for a given tier, with the bare template only.

    The system's interpreter, where there is one: programs run as other users, who may not read ours.
    """
    python = shutil.which("python3", path=os.defpath) or sys.executable
    with ExitStack() as stack:
        yield cache(
            lambda tier: cold_and_warm(stack, sandbox=tier, python_executor_path=python, warm_templates=" ")
        )


@pytest.fixture(scope="module")
def both_with_interpreter() -> Iterator[Callable[[str], Both]]:
    """As :func:`both` for a given interpreter, with the bare template only."""
    with ExitStack() as stack:
        yield cache(lambda path: cold_and_warm(stack, python_executor_path=path, warm_templates=" "))
