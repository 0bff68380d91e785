"""The run's own process, from the fork to the program's first instruction.

The order is what makes it safe: rights go first, then the process writes its files with the rights that
the program will have, and only then may system calls be filtered. A step that fails is named through a
pipe that is closed before the program starts, so that a program cannot report for us.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # signal without its enums: no page of theirs is copied
import ctypes
import gc
import json
import os
import resource
import sys
from typing import Any

from . import syscalls
from .walls import SetupFailed, Walls

STDIN, STDOUT, STDERR, BUNDLE, PROGRAM = range(5)
"""Order of the descriptors that come with a run; the last is there for compiled programs only."""

BUNDLE_HEADER_BYTES = 24
"""Before each file of a bundle: mode, length of the path and length of the content, eight bytes each."""

_NO_PRIORITY = os.sched_param(0)
_HIGH = 100
"""Descriptors are moved above this first, so that putting three of them at 0, 1 and 2 overwrites none."""


class RunProcess:
    """Starts runs for one slot."""

    def __init__(self, walls: Walls, generators: list[Any], base_nice: int) -> None:
        self._walls = walls
        self._base_nice = base_nice
        self._generators = generators
        self._step = ""
        self._report, self._reporter = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)

    def start(self, run: dict[str, Any], descriptors: list[int]) -> int:
        """Fork. Returns the process id in the slot; in the run's process 0, to go on as main script, or
        never: it executes the run's program, or reports the failed step and ends.

        Raises SetupFailed where even the fork fails.
        """
        try:
            process = os.fork()
        except OSError as error:
            raise SetupFailed("fork", error) from error
        if process != 0:
            return process
        try:
            self._become(run, descriptors)
        except BaseException as error:  # noqa: BLE001 - whatever it is, this process must not go on
            number = error.errno if isinstance(error, OSError) else None
            failure = {"step": self._step, "errno": number, "text": f"{type(error).__name__}: {error}"}
            os.write(self._reporter, json.dumps(failure).encode()[:4000])
            os._exit(127)
        return 0

    def setup_failure(self) -> SetupFailed | None:
        """What the last run's process reported before it became the program, if anything."""
        try:
            report = json.loads(os.read(self._report, 4096))
        except BlockingIOError:
            return None
        return SetupFailed(report["step"], OSError(report["errno"] or 0, report["text"]))

    def _become(self, run: dict[str, Any], descriptors: list[int]) -> None:
        """All of it, in order, each step named for the report. Returns where the interpreter is to go on."""
        walls = self._walls
        self._step = "new session"
        os.setsid()
        self._step = "descriptors"
        for index, descriptor in enumerate(descriptors):
            os.dup2(descriptor, _HIGH + index, False)
        for number in (STDIN, STDOUT, STDERR):
            os.dup2(_HIGH + number, number)
        self._step = "limits"
        _set_limits(run)
        os.setpriority(os.PRIO_PROCESS, 0, min(self._base_nice + run["nice"], 19))
        self._step = "drop rights"
        walls.drop_rights()
        _die_first()
        self._step = "working directory"
        walls.make_working_directory()
        self._step = "files"
        _unpack(_HIGH + BUNDLE)
        if run["argv"] is None:
            self._step = "environment"
            _complete_environment({**run["env"], **walls.environment})
            _draw_anew(self._generators)
        self._step = "restrict files"
        walls.restrict_files()
        # Nothing of ours among the objects that a program may ask the collector for.
        gc.freeze()
        self._step = "close descriptors"
        self._close_descriptors(run, len(descriptors))
        ctypes.set_errno(0)
        if run["argv"] is not None:
            self._step = f"execute {run['argv'][0]}"
            self._execute(run, compiled=len(descriptors) > PROGRAM)

    def _execute(self, run: dict[str, Any], compiled: bool) -> None:
        """Never returns. Raises OSError where a tool of ours cannot be executed."""
        environment = {**run["env"], **self._walls.environment}
        if not compiled:
            os.execve(run["argv"][0], run["argv"], environment)
        try:
            os.execve(_HIGH + PROGRAM, run["argv"], environment)
        except OSError as error:
            # The program's own fault (a loader that is not there, say): it ends as a shell would have it end.
            os.write(STDERR, f"cannot execute the program: {error.strerror}\n".encode())
            os._exit(126)

    def _close_descriptors(self, run: dict[str, Any], count: int) -> None:
        """Leave the program 0, 1 and 2, and until its exec what the exec needs (closed by it)."""
        if run["argv"] is None:
            _signal.signal(_signal.SIGINT, _signal.default_int_handler)
            syscalls.close_from(3)
            return
        # An exec keeps ignored signals ignored, and Python ignores these two.
        for number in (_signal.SIGPIPE, _signal.SIGXFSZ, _signal.SIGINT):
            _signal.signal(number, _signal.SIG_DFL)
        os.dup2(self._reporter, _HIGH - 1, inheritable=False)
        self._reporter = _HIGH - 1
        if count > PROGRAM:
            syscalls.close_from(_HIGH + PROGRAM + 1)
        else:
            syscalls.close_from(_HIGH)
        os.closerange(3, _HIGH - 1)


def _set_limits(run: dict[str, Any]) -> None:
    """rlimits never above the hard limit: an unprivileged pod may not raise those."""
    for kind, value in run["rlimits"]:
        try:
            resource.setrlimit(kind, (value, value))
        except ValueError:
            _, hard = resource.getrlimit(kind)
            resource.setrlimit(kind, (min(value, hard), min(value, hard)))
    # Runs do not push others aside when they wake: a storm of wake-ups would keep the slot from its clock.
    os.sched_setscheduler(0, os.SCHED_BATCH, _NO_PRIORITY)


def _die_first() -> None:
    """Let the kernel take the run, not the slot, whose protection it inherited, when memory is out."""
    try:
        score = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
        os.write(score, b"1000")
        os.close(score)
    except OSError:
        return  # some containers do not let it: then the cgroup alone chooses


def _unpack(bundle: int) -> None:
    """Write the run's files into the working directory, as ``program.bundle`` packed them."""
    while header := os.read(bundle, BUNDLE_HEADER_BYTES):
        mode, name_length, left = (int.from_bytes(header[at : at + 8], "big") for at in (0, 8, 16))
        path = os.read(bundle, name_length)
        folder = os.path.dirname(path)
        if folder:
            os.makedirs(folder, exist_ok=True)
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, mode)
        while left:
            left -= os.sendfile(file, bundle, None, left) or _short(path)
        os.close(file)


def _short(path: bytes) -> int:
    raise OSError(0, f"the bundle ends within {path!r}")


def _complete_environment(environment: dict[str, str]) -> None:
    """Add to what a forked interpreter has from its template."""
    if environment:
        os.environ.update(environment)


def _draw_anew(generators: list[Any]) -> None:
    """Give the run a chance of its own: a fork would repeat its template's numbers."""
    for generator in generators:
        generator.seed()
    numpy_random = sys.modules.get("numpy.random")
    if numpy_random is not None:
        numpy_random.seed()
