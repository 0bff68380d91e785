"""What a node's executor counts is what happened in its sandbox."""

import sys
from collections.abc import Iterator
from contextlib import suppress

import psutil
import pytest

from code_judge.contract import Submission, Verdict
from code_judge.metrics import Tally, families
from code_judge.settings import Settings
from code_judge_workers.judge import SandboxExecutor
from tests.support.command import until

CPP = '#include <cstdio>\nint main() { std::puts("1"); }'


@pytest.fixture
def tally() -> Tally:
    return Tally()


@pytest.fixture
def executor(tally: Tally) -> Iterator[SandboxExecutor]:
    """A node's executor with the bare template alone."""
    settings = Settings(python_executor_path=sys.executable, max_workers=1, warm_templates="")
    executor = SandboxExecutor(settings, tally)
    try:
        executor.start()
        yield executor
    finally:
        executor.stop()


def verdict(executor: SandboxExecutor, **fields: object) -> Verdict:
    return executor.prepare(Submission.model_validate(fields)).result().verdict


def count(tally: Tally, family: families.Counter, *labels: str) -> float:
    packet = tally.packet()
    assert packet
    return packet.counts.get((family.name, *labels), 0)


def test_warm_and_cold_starts_and_limits(executor: SandboxExecutor, tally: Tally) -> None:
    endless = {"type": "python", "solution": "while True: pass", "time_limit": 0.2}
    shadowing = {"type": "python", "solution": "print(1)", "files": {"json.py": ""}}

    assert verdict(executor, type="python", solution="print(1)") is Verdict.RAN
    assert verdict(executor, **shadowing) is Verdict.RAN
    assert verdict(executor, **endless) is Verdict.TIME_LIMIT

    assert count(tally, families.STARTS, "bare", "warm") == 2
    assert count(tally, families.STARTS, "bare", "cold") == 1
    assert count(tally, families.LIMITS_HIT, "time", "run") == 1


@pytest.mark.needs_gxx
def test_compilations_and_those_that_the_cache_spares(executor: SandboxExecutor, tally: Tally) -> None:
    for _ in range(3):
        assert verdict(executor, type="cpp", solution=CPP) is Verdict.RAN

    assert count(tally, families.COMPILE_CACHE, "miss") == 1
    assert count(tally, families.COMPILE_CACHE, "hit") == 2


def test_a_template_that_ended_counts_as_rebuilt(executor: SandboxExecutor, tally: Tally) -> None:
    assert verdict(executor, type="python", solution="print(1)") is Verdict.RAN
    # The newest: other tests' executors may live on beside this one.
    launcher = max(
        (
            child
            for child in psutil.Process().children()
            if any("launcher" in word for word in child.cmdline())
        ),
        key=psutil.Process.create_time,
    )
    [template] = launcher.children()

    # With its slot, so that a new one has to be made.
    for process in [*template.children(recursive=True), template]:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    until(lambda: launcher.children() and template not in launcher.children(), "it is started again")
    assert verdict(executor, type="python", solution="print(1)") is Verdict.RAN

    assert count(tally, families.TEMPLATE_REBUILDS, "bare") == 1
