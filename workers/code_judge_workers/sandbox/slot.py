"""A slot: runs one program after another, each in a fork of itself, and proves itself clean in between.

In the ``namespaces`` tier it is pid 1 of its own namespaces, which the kernel shields from its children.
Between runs nothing may be left: it kills all, waits for all, and drops the only writable mount.
"""

from __future__ import annotations

import os
import select
import signal
import socket
from typing import Any, NamedTuple

from . import wire
from .child import RunProcess
from .meter import Meter, NoMeter
from .stopwatch import Reading, Stopwatch
from .walls import SetupFailed, Walls, walls_for

WALL_GRACE_S = 0.25
"""Wall time that a run may stay past its limit before it is killed: starting and ending cost some."""
SLOT_NICE = -10
"""Niceness of slots where we are root: among a hundred busy processes, the one that ends them comes first."""
SHORTEST_CHECK_S = 0.01
LONGEST_CHECK_S = 0.5


class Stopped(NamedTuple):
    """Why a run was killed, and when it had used what."""

    cause: str
    reading: Reading


class Slot:
    """One slot. ``serve`` is its life."""

    def __init__(
        self, config: dict[str, Any], request: dict[str, Any], descriptors: list[int], generators: list[Any]
    ) -> None:
        self._manager = socket.socket(fileno=descriptors[0])
        self._build = request["build"]
        self._walls: Walls = walls_for(config, request["slot"])
        self._meter = Meter(request["meter"], descriptors[1:]) if request["meter"] else NoMeter(self._walls)
        self._process = RunProcess(self._walls, generators, base_nice=os.getpriority(os.PRIO_PROCESS, 0))
        self._cores = len(os.sched_getaffinity(0))

    def serve(self) -> bool:
        """Run what the manager sends until it is gone. Returns True in a run's process that is to go on
        as the interpreter's main script, False at the end of the slot's own life."""
        try:
            os.setpriority(os.PRIO_PROCESS, 0, SLOT_NICE)
        except PermissionError:
            pass
        try:
            self._meter.enter()
            self._walls.enter()
        except SetupFailed as failure:
            wire.send(self._manager, {"failed": failure.as_message()})
            return False
        wire.send(self._manager, {"ready": True, "build": self._build})
        while True:
            message, descriptors = wire.receive(self._manager)
            self._message = message  # kept alive in the run: see Farewell.keep
            if message is None:
                return False
            if "run" not in message:
                continue  # a late word on a run that has ended
            if self._run(message["run"], descriptors):
                return True

    def _run(self, run: dict[str, Any], descriptors: list[int]) -> bool:
        """One run from clean to clean. Returns True in the run's own process, as ``serve`` does."""
        try:
            self._meter.begin(run["memory_bytes"])
            self._walls.before_run()
            process = self._process.start(run, descriptors)
        except SetupFailed as failure:
            clean = self._walls.after_run()
            wire.send(self._manager, {"failed": failure.as_message()})
            if not clean:
                os._exit(1)
            return False
        if process == 0:
            self._manager.detach()
            return True
        for descriptor in descriptors:
            os.close(descriptor)
        self._finish(run, process)
        return False

    def _finish(self, run: dict[str, Any], process: int) -> None:
        """See the run to its end, clean up, and tell. Ends the slot where it is not clean: what happened is
        told all the same, since it was measured, and a program must not be able to take its answer away."""
        watch = Stopwatch(self._walls.processes)
        stopped = self._watch(run, process, watch)
        if stopped is not None:
            os.kill(process, signal.SIGKILL)
            self._walls.hurry(SLOT_NICE)
        wall = watch.wall_s()
        # The children of the run, first of all those that keep the run's streams open.
        status = self._walls.kill_all(process)
        cpu = max(watch.reaped_cpu_s(), self._meter.cpu_s(), stopped.reading.cpu_s if stopped else 0.0)
        artifact = self._walls.open_artifact(run["artifact"]) if run["artifact"] else None
        memory = self._meter.end()
        clean = self._walls.after_run()
        setup = self._process.setup_failure()
        ended = {
            "exit_code": os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
            "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else None,
            "stopped": stopped.cause if stopped else None,
            "cpu_s": cpu,
            "wall_s": wall,
            "peak_bytes": memory.peak_bytes,
            "out_of_memory": memory.exceeded,
        }
        answer = {"failed": setup.as_message()} if setup else {"ended": ended}
        wire.send(self._manager, answer, [artifact] if artifact is not None else None)
        if artifact is not None:
            os.close(artifact)
        if not clean:
            os._exit(1)

    def _watch(self, run: dict[str, Any], process: int, watch: Stopwatch) -> Stopped | None:
        """Wait for the main process; returns why it has to be killed, or None where it ended by itself."""
        ending = os.pidfd_open(process)
        poll = select.poll()
        poll.register(ending, select.POLLIN)
        poll.register(self._manager, select.POLLIN)
        try:
            pause_s = min(run["cpu_limit_s"] / self._cores, LONGEST_CHECK_S)
            while True:
                events = poll.poll(self._meter.longest_pause_s(pause_s) * 1000)
                if any(descriptor == ending for descriptor, _ in events):
                    return None
                if events:
                    message, _ = wire.receive(self._manager)
                    cause = "abandoned" if message is None else message["stop"]
                    return Stopped(cause, self._read(watch))
                reading = self._read(watch)
                cause = self._over(run, reading)
                if cause:
                    return Stopped(cause, reading)
                left_s = min(
                    (run["cpu_limit_s"] - reading.cpu_s) / self._cores,
                    run["cpu_limit_s"] + WALL_GRACE_S - reading.charged_s,
                    run["wall_limit_s"] - reading.wall_s,
                )
                pause_s = min(max(left_s, SHORTEST_CHECK_S), LONGEST_CHECK_S)
        finally:
            os.close(ending)

    def _read(self, watch: Stopwatch) -> Reading:
        reading = watch.read()
        return reading._replace(cpu_s=max(reading.cpu_s, self._meter.cpu_s()))

    def _over(self, run: dict[str, Any], reading: Reading) -> str | None:
        """The limit that the run is over, if any."""
        if self._meter.exceeded():
            return "memory"
        over_time = (
            reading.cpu_s > run["cpu_limit_s"]
            or reading.charged_s > run["cpu_limit_s"] + WALL_GRACE_S
            or reading.wall_s > run["wall_limit_s"]
        )
        return "time" if over_time else None
