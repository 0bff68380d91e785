"""The run's own process, from the fork to the program's first instruction.

The order is what makes it safe: rights go first, then the process writes its files with the rights that
the program will have, and only then may system calls be filtered. A step that fails is named through a
pipe that is closed before the program starts, so that a program cannot report for us.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
from typing import Any

from . import syscalls
from .walls import SetupFailed, Walls

STDIN, STDOUT, STDERR, BUNDLE, PROGRAM = range(5)
"""Order of the descriptors that come with a run; the last is there for compiled programs only."""

_HIGH = 100
"""Descriptors are moved above this first, so that putting three of them at 0, 1 and 2 overwrites none."""


class RunProcess:
    """Starts runs for one slot."""

    def __init__(self, walls: Walls) -> None:
        self._walls = walls
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
        step = "start"
        try:
            for name, action in self._steps(run, descriptors):
                step = name
                action()
            if run["argv"] is None:
                return 0
            step = f"execute {run['argv'][0]}"
            _execute(run, _HIGH + PROGRAM if len(descriptors) > PROGRAM else None)
        except BaseException as error:  # noqa: BLE001 - whatever it is, this process must not go on
            number = error.errno if isinstance(error, OSError) else None
            failure = {"step": step, "errno": number, "text": f"{type(error).__name__}: {error}"}
            os.write(self._reporter, json.dumps(failure).encode()[:4000])
        os._exit(127)

    def setup_failure(self) -> SetupFailed | None:
        """What the last run's process reported before it became the program, if anything."""
        try:
            report = json.loads(os.read(self._report, 4096))
        except BlockingIOError:
            return None
        return SetupFailed(report["step"], OSError(report["errno"] or 0, report["text"]))

    def _steps(self, run: dict[str, Any], descriptors: list[int]) -> list[tuple[str, Any]]:
        """All of it, in order, each with the name that a failure carries."""
        walls = self._walls
        return [
            ("new session", os.setsid),
            ("descriptors", lambda: _place_descriptors(descriptors)),
            ("separate ipc", walls.separate_ipc),
            ("limits", lambda: _set_limits(run)),
            ("drop rights", walls.drop_rights),
            ("working directory", walls.make_working_directory),
            ("files", lambda: _unpack(_HIGH + BUNDLE)),
            ("environment", lambda: _set_environment(run)),
            ("filter system calls", walls.filter_system_calls),
            ("close descriptors", lambda: self._close_descriptors(run, len(descriptors))),
        ]

    def _close_descriptors(self, run: dict[str, Any], count: int) -> None:
        """Leave the program 0, 1 and 2, and until its exec what the exec needs (closed by it)."""
        if run["argv"] is None:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            syscalls.close_from(3)
            return
        # An exec keeps ignored signals ignored, and Python ignores these two.
        for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
        os.dup2(self._reporter, _HIGH - 1, inheritable=False)
        self._reporter = _HIGH - 1
        if count > PROGRAM:
            syscalls.close_from(_HIGH + PROGRAM + 1)
        else:
            syscalls.close_from(_HIGH)
        os.closerange(3, _HIGH - 1)


def _place_descriptors(descriptors: list[int]) -> None:
    for index, descriptor in enumerate(descriptors):
        os.dup2(descriptor, _HIGH + index, inheritable=False)
    for number in (STDIN, STDOUT, STDERR):
        os.dup2(_HIGH + number, number)


def _set_limits(run: dict[str, Any]) -> None:
    """rlimits never above the hard limit: an unprivileged pod may not raise those."""
    for name, value in run["rlimits"].items():
        kind = getattr(resource, name)
        _, hard = resource.getrlimit(kind)
        capped = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (capped, capped))
    os.nice(run["nice"])


def _unpack(bundle: int) -> None:
    """Write the run's files into the working directory: {length, manifest, contents} of the bundle."""
    os.lseek(bundle, 0, os.SEEK_SET)
    size = int.from_bytes(os.read(bundle, 8), "big")
    for path, length, mode in json.loads(os.read(bundle, size)):
        folder = os.path.dirname(path)
        if folder:
            os.makedirs(folder, exist_ok=True)
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, mode)
        left = length
        while left:
            left -= os.sendfile(file, bundle, None, left) or _short(path)
        os.close(file)


def _short(path: str) -> int:
    raise OSError(0, f"the bundle ends within {path}")


def _set_environment(run: dict[str, Any]) -> None:
    """What a forked interpreter keeps of its environment is set here; an exec gets the same as a list."""
    for name in set(os.environ) - set(run["env"]):
        del os.environ[name]
    for name, value in run["env"].items():
        if os.environ.get(name) != value:
            os.environ[name] = value
    # One state of chance per run: a fork would otherwise repeat its template's numbers.
    numpy_random = sys.modules.get("numpy.random")
    if numpy_random is not None and run["argv"] is None:
        numpy_random.seed()


def _execute(run: dict[str, Any], program: int | None) -> None:
    target = program if program is not None else run["argv"][0]
    os.execve(target, run["argv"], run["env"])
