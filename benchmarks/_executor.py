"""Worker executors without a queue: what their runs cost, and nothing else."""

import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from benchmarks._common import CORES
from code_judge.contract import Submission
from code_judge.settings import Settings
from code_judge_cli.local_judge import unwind_on_sigterm
from code_judge_workers.judge import SandboxExecutor

HEADER_S = 120.0
"""Seconds that the C++ header gets to be precompiled, which a node does beside its first runs."""


class WrongAnswer(Exception):
    """Raised where a run did not end as it must: its speed would mean nothing."""


@contextmanager
def executing(**settings: object) -> Iterator[SandboxExecutor]:
    """A started executor with a thread per core; stopped afterwards. Raises SandboxSetupError."""
    unwind_on_sigterm()
    given = {"python_executor_path": sys.executable, "max_workers": CORES, **settings}
    executor = SandboxExecutor(Settings.from_env(os.environ, **given))
    try:
        executor.start()
        executor.wait_for_headers(HEADER_S)  # else it would be made beside what is measured
        yield executor
    finally:
        executor.stop()


def runs_per_s(executor: SandboxExecutor, submissions: Sequence[Mapping[str, Any]]) -> float:
    """Judge them all, one thread per core. Raises WrongAnswer."""
    runs = [executor.prepare(Submission.model_validate(one)) for one in submissions]
    with ThreadPoolExecutor(CORES) as threads:
        started = time.perf_counter()
        results = list(threads.map(lambda run: run.result(), runs))
        seconds = time.perf_counter() - started
    for result in results:
        if not result.success:
            raise WrongAnswer(f"a benchmark program ended with {result.verdict}: {result.stderr}")
    return len(results) / seconds
