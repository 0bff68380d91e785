"""The run's memory: counted by a cgroup where the node has one, else by adding up what is resident."""

from __future__ import annotations

import os
import time
from typing import Any, NamedTuple

from .walls import Walls

_MEGABYTE = 1 << 20


class Memory(NamedTuple):
    """What a run needed."""

    peak_bytes: int
    exceeded: bool


class Meter:
    """A cgroup that the slot lives in with its runs, as descriptors opened by the launcher.

    The slot's own memory is counted with the run's and taken off again: moving each run in instead
    would cost a third of a millisecond.
    """

    def __init__(self, layout: dict[str, Any], descriptors: list[int]) -> None:
        self._files = dict(zip(layout["files"], descriptors))  # noqa: B905 - Python 3.9 runs this, too
        self._limit = -1
        self._limit_bytes = 0
        self._baseline = 0
        self._kills_before = 0
        self._cpu_before = 0.0
        self._own_cpu_before = 0.0

    def enter(self) -> None:
        """Move this process in, and keep the kernel from choosing it when memory is out."""
        for name, file in self._files.items():
            if name.endswith("procs"):
                os.write(file, b"0")
        try:
            with open("/proc/self/oom_score_adj", "w") as score:
                score.write("-1000")
        except OSError:  # not root: a slot that is killed is made anew, and the run with it
            pass

    def begin(self, limit_bytes: int) -> None:
        """Set the limit of the next run and forget the last one's peak."""
        self._baseline = self._read("usage")
        self._limit_bytes = limit_bytes
        limit = -(-(self._baseline + limit_bytes) // _MEGABYTE) * _MEGABYTE
        if limit != self._limit:
            os.pwrite(self._files["limit"], str(limit).encode(), 0)
            self._limit = limit
        if "peak" in self._files:
            os.pwrite(self._files["peak"], b"0", 0)
        self._kills_before = self._kills()
        self._cpu_before = self._cgroup_cpu_s()
        self._own_cpu_before = time.process_time()

    def exceeded(self) -> bool:
        """Whether the kernel had to kill a process of this run for memory."""
        return self._kills() > self._kills_before

    def end(self) -> Memory:
        """What the run needed; call it before its files are removed."""
        peak = self._read("peak" if "peak" in self._files else "usage")
        return Memory(max(0, peak - self._baseline), self.exceeded())

    def cpu_s(self) -> float:
        """CPU seconds of the run by the cgroup's count, which nothing escapes; 0 where it counts none."""
        used = self._cgroup_cpu_s()
        return (
            max(0.0, used - self._cpu_before - (time.process_time() - self._own_cpu_before)) if used else 0.0
        )

    def longest_pause_s(self, wanted_s: float) -> float:
        """Seconds until the next look at the run: the kernel watches for us."""
        return wanted_s

    def _cgroup_cpu_s(self) -> float:
        if "cpu" not in self._files:
            return 0.0
        text = os.pread(self._files["cpu"], 4096, 0)
        if text.startswith(b"usage_usec "):
            return int(text.split(None, 2)[1]) / 1e6
        return int(text) / 1e9

    def _read(self, name: str) -> int:
        return int(os.pread(self._files[name], 64, 0))

    def _kills(self) -> int:
        for line in os.pread(self._files["events"], 4096, 0).splitlines():
            name, value = line.split()
            if name == b"oom_kill":
                return int(value)
        return 0


class NoMeter:
    """Sampling: the only way where no cgroup can be made. Short peaks between two looks are missed."""

    SAMPLE_S = 0.02

    def __init__(self, walls: Walls) -> None:
        self._walls = walls
        self._limit_bytes = 0
        self._peak = 0
        self._template_bytes = _own_resident_bytes(os.getpid())

    def enter(self) -> None:
        return

    def begin(self, limit_bytes: int) -> None:
        self._limit_bytes, self._peak = limit_bytes, 0

    def exceeded(self) -> bool:
        """Sample, and compare the highest so far with the limit."""
        # Pages still shared with the template are not the run's, and nothing cheap tells them apart.
        resident = sum(
            max(0, _own_resident_bytes(process) - self._template_bytes) for process in self._walls.processes()
        )
        self._peak = max(self._peak, resident)
        return self._peak > self._limit_bytes

    def end(self) -> Memory:
        return Memory(self._peak, self._peak > self._limit_bytes)

    def cpu_s(self) -> float:
        return 0.0

    def longest_pause_s(self, wanted_s: float) -> float:
        return min(wanted_s, self.SAMPLE_S)


def _own_resident_bytes(process: int) -> int:
    """Resident memory that is no file's: private pages and shared ones."""
    kilobytes = 0
    try:
        with open(f"/proc/{process}/status", "rb") as file:
            for line in file:
                if line.startswith((b"RssAnon:", b"RssShmem:")):
                    kilobytes += int(line.split()[1])
    except OSError:  # ended meanwhile
        pass
    return kilobytes << 10
