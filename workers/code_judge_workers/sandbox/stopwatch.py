"""The run's clocks: CPU that it used, and wall time less what it spent waiting for a core.

A runnable process that waits for a core is not at fault, so that waiting is taken off its wall time:
the same program then gets the same verdict on an idle machine and on a crowded one. The kernel keeps
the figure per task, in nanoseconds: the second field of ``/proc/PID/task/TID/schedstat``.
"""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Callable, Iterable
from typing import NamedTuple

_NANO = 1e-9
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")


class Reading(NamedTuple):
    """What a run has used so far, in seconds."""

    cpu_s: float
    wall_s: float
    waited_s: float

    @property
    def charged_s(self) -> float:
        """Wall time that counts against the program."""
        return self.wall_s - self.waited_s


class Stopwatch:
    """Times one run: every process that ``processes`` lists, and those of them that ended."""

    def __init__(self, processes: Callable[[], Iterable[int]]) -> None:
        self._processes = processes
        self._started = time.monotonic()
        self._reaped_before = _reaped_cpu_s()
        self._waits: dict[str, float] = {}  # seconds, by task, kept after the task ended

    def read(self) -> Reading:
        """Measure now. Costs a few reads of /proc per task."""
        live_cpu = 0.0
        for process in self._processes():
            live_cpu += self._read_process(process)
        wall = time.monotonic() - self._started
        return Reading(live_cpu + self.reaped_cpu_s(), wall, min(wall, sum(self._waits.values())))

    def wall_s(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._started

    def reaped_cpu_s(self) -> float:
        """CPU seconds of the run's processes that this process has already waited for."""
        return _reaped_cpu_s() - self._reaped_before

    def _read_process(self, process: int) -> float:
        """Note the waits of one process's tasks; returns its CPU seconds and its reaped children's."""
        folder = f"/proc/{process}"
        cpu = 0.0
        try:
            for task in os.listdir(f"{folder}/task"):
                with open(f"{folder}/task/{task}/schedstat") as file:
                    ran, waited, _ = file.read().split()
                cpu += int(ran) * _NANO
                self._waits[f"{process}/{task}"] = int(waited) * _NANO
            with open(f"{folder}/stat", "rb") as file:
                # Fields after the name in brackets: 14 and 15 of proc(5) are cutime and cstime.
                fields = file.read().rpartition(b")")[2].split()
            cpu += (int(fields[13]) + int(fields[14])) / _TICKS_PER_S
        except (OSError, ValueError):  # ended meanwhile: its parent's figures have it now
            pass
        return cpu


def _reaped_cpu_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
