"""A template: an interpreter that imported what many submissions import, and forks slots of itself.

It stops inside ``import site``, before CPython would run main.py (see ``boot/sitecustomize.py``), so that
a run's process is CPython starting main.py in every detail, only with its imports already done.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import importlib.machinery
import importlib.util
import os
import select
import signal
import socket
import sys
import traceback
from types import ModuleType
from typing import Any

from . import kernel_tables, syscalls, wire
from .farewell import Farewell
from .slot import Slot
from .walls import end_orphans

DESCRIPTORS_VARIABLE = "CODE_JUDGE_DESCRIPTORS"
"""Environment: numbers of the descriptors that lead to the launcher and to the node's log, with a comma
between. Gone before anything is imported."""

_LOOK_MS = 200
"""Milliseconds between two looks for slots that ended."""

COMMON_MODULES = [
    "abc", "bisect", "collections", "copy", "dataclasses", "datetime", "decimal", "enum",
    "fractions", "functools", "heapq", "io", "itertools", "json", "math", "operator",
    "re", "string", "time", "traceback", "typing", "warnings",
]  # fmt: skip
"""Standard modules that every template has. Not ``random``: it draws a new state in every fork."""


def serve(modules_before: set[str]) -> ModuleType | None:
    """Prepare, then fork slots until the launcher is gone. Returns only in a run's process, and there the
    interpreter's own ``sitecustomize``, if it has one."""
    try:
        return _serve(modules_before)
    except BaseException:  # noqa: BLE001 - CPython would go on and run main.py with the rights of a slot
        traceback.print_exc()
        os._exit(1)


def _serve(modules_before: set[str]) -> ModuleType | None:
    farewell = Farewell()
    atexit.register(farewell)
    control_number, log_number = map(int, os.environ.pop(DESCRIPTORS_VARIABLE).split(","))
    control = socket.socket(fileno=control_number)
    os.environ.pop("PYTHONPATH", None)
    config, _ = wire.receive(control)
    if config is None:
        os._exit(0)
    farewell.keep(_forget_own_modules(modules_before))
    _clean_environment_block()
    own = _own_sitecustomize()
    problem = _preload(COMMON_MODULES) or _preload(config["imports"], config["warm_up"])
    # Fills the finders' caches of what each folder holds: ``site`` asks for this one in every run.
    importlib.util.find_spec("usercustomize")
    _note_the_script()
    farewell.remember_modules()
    generators = _generators()
    gc.collect()
    # Objects that exist now are never traversed again: a collection in a run would copy their pages.
    gc.freeze()
    os.dup2(log_number, 2)
    os.close(log_number)
    wire.send(control, {"ready": problem is None, "problem": problem, "version": sys.version.split()[0]})
    _fork_slots(control, config, farewell, generators)
    return own


def _forget_own_modules(modules_before: set[str]) -> list[ModuleType]:
    """Take what only we imported out of sight, and return it; the program imports its own copies."""
    ours = set(sys.modules) - modules_before - set(sys.builtin_module_names) - {"sitecustomize"}
    return [sys.modules.pop(name) for name in ours]


def _clean_environment_block() -> None:
    """Make /proc/self/environ say what ``os.environ`` says: it shows the block that exec left, ours in it."""
    start, end = map(int, kernel_tables.stat_fields(os.getpid())[47:49])  # fields 50 and 51 of proc(5)
    # C's own pointers lead into the block: give it new strings first.
    for name, value in os.environ.items():
        os.putenv(name, value)
    block = b"".join(os.fsencode(f"{name}={value}") + b"\0" for name, value in os.environ.items())
    if len(block) <= end - start:
        ctypes.memmove(start, block.ljust(end - start, b"\0"), end - start)


def _note_the_script() -> None:
    """Note that main.py is a plain file, as CPython does after it looked for a folder or an archive of
    modules there, which would cost each run forty copied pages."""
    try:
        folder = os.getcwd()
    except FileNotFoundError:  # in the weaker tiers: see ``Template._enter_root``
        folder = ""
    sys.path_importer_cache[os.path.join(folder, "main.py")] = None


def _generators() -> list[Any]:
    """Random generators that imports have made: a fork would repeat its template's numbers. ``random`` itself
    draws a new state in every fork."""
    module = sys.modules.get("random")
    if module is None:
        return []
    return [each for each in gc.get_objects() if type(each) is module.Random and each is not module._inst]


def _own_sitecustomize() -> ModuleType | None:
    """Run the ``sitecustomize`` that our boot folder stands in front of, where there is one."""
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", sys.path)
    if spec is None or spec.loader is None:
        return None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _preload(modules: list[str], warm_up: str = "") -> str | None:
    """Import and warm up; returns what went wrong, or None."""
    try:
        for name in modules:
            __import__(name)
        exec(warm_up, {"__name__": "warm_up"})
    except Exception as error:  # noqa: BLE001 - third-party imports raise anything; reported to the launcher
        return f"{type(error).__name__}: {error}"
    return None


def _fork_slots(
    control: socket.socket, config: dict[str, Any], farewell: Farewell, generators: list[Any]
) -> None:
    """Fork a slot per request; returns only in a run's process. Ends where the launcher is gone."""
    syscalls.prctl(syscalls.PR_SET_CHILD_SUBREAPER, 1)
    slots: dict[int, int] = {}  # slot number → process id, while not reaped
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the manager's to handle
    poll = select.poll()
    poll.register(control, select.POLLIN)
    while True:
        waiting = poll.poll(_LOOK_MS)
        _reap(slots, config)
        if not waiting:
            continue
        message, descriptors = wire.receive(control)
        if message is None:
            os._exit(0)
        if message["op"] == "kill":
            if message["slot"] in slots:
                os.kill(slots[message["slot"]], signal.SIGKILL)
            continue
        process = _fork_as_first_process() if config["tier"] == "namespaces" else os.fork()
        if process == 0:
            control.close()
            slot = Slot(config, message, descriptors, generators)
            farewell.keep(slot, config, message, generators)
            if slot.serve():
                farewell.renew_main()
                return
            os._exit(0)
        slots[message["slot"]] = process
        for descriptor in descriptors:
            os.close(descriptor)


def _fork_as_first_process() -> int:
    """Fork into a pid namespace of its own; returns as fork does.

    By a helper, since an unprivileged process that has made such a namespace for its children can make no
    second one, nor go back. The helper ends at once, and the slot comes to us as its subreaper.
    """
    reader, writer = os.pipe()
    helper = os.fork()
    if helper:
        os.close(writer)
        os.waitpid(helper, 0)
        answer = os.read(reader, 32)
        os.close(reader)
        if not answer:
            raise OSError("no slot was made; the reason stands above")
        return int(answer)
    os.close(reader)
    syscalls.unshare(syscalls.CLONE_NEWPID)
    process = os.fork()
    if process:
        os.write(writer, str(process).encode())
        os._exit(0)
    os.close(writer)
    return 0


def _reap(slots: dict[int, int], config: dict[str, Any]) -> None:
    """Wait for slots that ended, and end what they left."""
    try:
        while True:
            process, _ = os.waitpid(-1, os.WNOHANG)
            if process == 0:
                return
            for number in [number for number, own in slots.items() if own == process]:
                del slots[number]
                end_orphans(config, number, set(slots.values()))
    except ChildProcessError:
        return
