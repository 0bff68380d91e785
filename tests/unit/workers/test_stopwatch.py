"""The run's clocks, from what the kernel says of its tasks."""

import threading
import time
from collections.abc import Callable

import pytest

from code_judge_workers.sandbox import stopwatch
from code_judge_workers.sandbox.stopwatch import Stopwatch

Waits = dict[str, float]


@pytest.fixture
def watch_waits(monkeypatch: pytest.MonkeyPatch) -> Callable[[Waits, float], float]:
    """Looks at tasks that have waited so long, ``wall_s`` after the start; returns what was taken off."""
    now = [0.0]
    current: Waits = {}

    def read(_: int, waits: Waits) -> float:
        waits.update(current)
        return 0.0

    monkeypatch.setattr(stopwatch, "_read_process", read)
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    watch = Stopwatch(lambda: [1])

    def look(waits: Waits, wall_s: float) -> float:
        current.clear()
        current.update(waits)
        now[0] = wall_s
        return watch.read().waited_s

    return look


def test_a_wait_is_taken_off_once_however_many_tasks_wait_at_the_same_time(
    watch_waits: Callable[[Waits, float], float],
) -> None:
    assert watch_waits({f"1/{task}": 0.1 for task in range(60)}, 1.0) == pytest.approx(0.1)


def test_waits_of_later_moments_add_up(watch_waits: Callable[[Waits, float], float]) -> None:
    watch_waits({"1/1": 0.4}, 1.0)

    assert watch_waits({"1/1": 0.9, "1/2": 0.2}, 2.0) == pytest.approx(0.9)


def test_no_more_is_taken_off_than_has_passed_since_the_last_look(
    watch_waits: Callable[[Waits, float], float],
) -> None:
    watch_waits({}, 1.0)

    assert watch_waits({"1/1": 30.0}, 1.5) == pytest.approx(0.5)


def test_a_real_process_has_used_what_the_kernel_says() -> None:
    watch = Stopwatch(lambda: [threading.get_native_id()])
    before = watch.read()
    sum(range(2_000_000))

    assert watch.read().cpu_s > before.cpu_s
