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


@contextmanager
def cold_and_warm(**settings: object) -> Iterator[Both]:
    """Two executors that differ in nothing but how they start programs."""
    with (
        running_executor(warm_starts=False, **settings) as cold,
        running_executor(warm_starts=True, **settings) as warm,
        ThreadPoolExecutor(2) as threads,
    ):

        def run(case: Case) -> tuple[Seen, Seen]:
            seen_cold, seen_warm = threads.map(lambda executor: observe(executor, case), (cold, warm))
            return seen_cold, seen_warm

        yield run


@pytest.fixture(scope="session")
def warm() -> Iterator[SandboxExecutor]:
    """The executor as nodes have it."""
    with running_executor() as executor:
        yield executor


@pytest.fixture(scope="session")
def both() -> Iterator[Both]:
    """This machine's strongest sandbox and all templates, as nodes have them."""
    with cold_and_warm() as run:
        yield run


@pytest.fixture(scope="session")
def both_in_tier() -> Iterator[Callable[[SandboxChoice], Both]]:
    """As :func:`both` for a given tier, with the bare template only.

    The system's interpreter, where there is one: programs run as other users, who may not read ours.
    """
    python = shutil.which("python3", path=os.defpath) or sys.executable
    with ExitStack() as stack:
        yield cache(
            lambda tier: stack.enter_context(
                cold_and_warm(sandbox=tier, python_executor_path=python, warm_templates=" ")
            )
        )


@pytest.fixture(scope="session")
def both_with_interpreter() -> Iterator[Callable[[str], Both]]:
    """As :func:`both` for a given interpreter, with the bare template only."""
    with ExitStack() as stack:
        yield cache(
            lambda path: stack.enter_context(cold_and_warm(python_executor_path=path, warm_templates=" "))
        )
