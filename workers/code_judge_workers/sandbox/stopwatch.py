"""The run's clocks: CPU that it used, and wall time less what it spent waiting for a core.

A runnable process that waits for a core is not at fault, so that waiting is taken off its wall time:
the same program then gets the same verdict on an idle machine and on a crowded one. The kernel keeps
the figure per task, in nanoseconds: the second field of ``/proc/PID/task/TID/schedstat``. Tasks that wait at
the same time delay their run once, not once each: between two looks the longest wait counts.
"""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Callable, Iterable
from typing import NamedTuple

from . import kernel_tables

_NANO = 1e-9
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_CUTIME, _CSTIME = 13, 14
"""Fields 16 and 17 of proc(5), counted from the one after the name: CPU of children that were waited for."""


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
        self._waits: dict[str, float] = {}  # seconds, by task, as of the last look
        self._looked_s = 0.0
        self._waited_s = 0.0

    def read(self) -> Reading:
        """Measure now. Costs a few reads of /proc per task."""
        live_cpu = 0.0
        waits: dict[str, float] = {}
        for process in self._processes():
            live_cpu += _read_process(process, waits)
        wall = self.wall_s()
        longest = max((waited - self._waits.get(task, 0.0) for task, waited in waits.items()), default=0.0)
        self._waited_s += min(longest, wall - self._looked_s)
        self._waits, self._looked_s = waits, wall
        return Reading(live_cpu + self.reaped_cpu_s(), wall, self._waited_s)

    def wall_s(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._started

    def reaped_cpu_s(self) -> float:
        """CPU seconds of the run's processes that this process has already waited for."""
        return _reaped_cpu_s() - self._reaped_before


def _read_process(process: int, waits: dict[str, float]) -> float:
    """Note the waits of one process's tasks; returns its CPU seconds and its reaped children's."""
    folder = f"/proc/{process}/task"
    cpu = 0.0
    try:
        for task in os.listdir(folder):
            with open(f"{folder}/{task}/schedstat") as file:
                ran, waited, _ = file.read().split()
            cpu += int(ran) * _NANO
            waits[f"{process}/{task}"] = int(waited) * _NANO
        children = kernel_tables.stat_fields(process)[_CUTIME : _CSTIME + 1]
        cpu += sum(map(int, children)) / _TICKS_PER_S
    except (OSError, ValueError):  # ended meanwhile: its parent's figures have it now
        pass
    return cpu


def _reaped_cpu_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
