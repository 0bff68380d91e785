"""The launcher: a process without secrets that keeps the templates and makes slots of them.

Run as ``python -m code_judge_workers.sandbox.launcher FD`` by the manager; FD leads to it. It ends, and
removes all that it made, when the manager's end is closed, however the manager ended.
"""

from __future__ import annotations

import os
import resource
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from typing import Any

from . import root, syscalls, wire
from .cgroups import Cgroups, open_cgroups
from .template import DESCRIPTORS_VARIABLE

_REBUILD_PAUSE_S = 1.0
"""Between two starts of the same template, so that one that cannot start does not eat the node."""
_SLOTS_END_S = 5.0
"""Seconds that slots get to end their runs and themselves."""
_STACK_BYTES = 256 << 20
"""Room left for the stack in a template's address space: a fork cannot grow it past what exec left."""


class Template:
    """One template process as the launcher sees it."""

    def __init__(self, name: str, config: dict[str, Any], settings: dict[str, Any]) -> None:
        self.name = name
        self._config = config
        self._settings = settings
        self.control: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._started = 0.0
        self.build = 0
        """How often it was started."""

    def start(self) -> dict[str, Any]:
        """Start it and wait until it has imported everything; returns its first message."""
        pause = self._started + _REBUILD_PAUSE_S - time.monotonic()
        if pause > 0:
            time.sleep(pause)
        self._started = time.monotonic()
        self.build += 1
        control, theirs = wire.pair()
        stdin = os.memfd_create("stdin", os.MFD_CLOEXEC)
        reader, writer = os.pipe2(os.O_CLOEXEC)
        log = os.dup(2)
        settings = self._settings
        environment = {
            **settings["environment"],
            "PYTHONPATH": settings["boot"],
            DESCRIPTORS_VARIABLE: f"{theirs.fileno()},{log}",
        }
        # main.py is opened only in a run. The streams are of the kinds that runs get, since CPython looks
        # at them while it starts: a memory file and two pipes.
        message = None
        try:
            self._process = subprocess.Popen(
                [settings["python"], "main.py"],
                executable=settings["python"],
                stdin=stdin,
                stdout=writer,
                stderr=writer,
                env=environment,
                pass_fds=[theirs.fileno(), log],
                preexec_fn=self._enter_root,  # safe: this process has one thread
            )
            theirs.close()
            wire.send(control, self._config)
            message, _ = wire.receive(control)
        except (OSError, subprocess.SubprocessError) as error:
            os.write(writer, f"cannot start {settings['python']}: {error}".encode())
        finally:
            theirs.close()
            for descriptor in (stdin, writer, log):
                os.close(descriptor)
        said = b"" if message else _read_all(reader)
        os.close(reader)
        if message is None or not message["ready"]:
            self.stop()
            control.close()
            return message or {"ready": False, "problem": said.decode(errors="replace")[-2000:] or "it ended"}
        self.control = control
        return message

    def _enter_root(self) -> None:
        resource.setrlimit(resource.RLIMIT_STACK, _stack_limits())
        syscalls.prctl(syscalls.PR_SET_PDEATHSIG, signal.SIGKILL)
        if self._config["tier"] == "namespaces":
            try:
                root.build(self._settings["root"])
            except root.RootStep as error:
                os.write(2, f"cannot build the root: {error}\n".encode())
                raise
        else:
            # CPython makes the script's path absolute at its start, unless it cannot tell where it is: in
            # these tiers each slot has a folder of its own, so it must stay ``main.py``.
            nowhere = tempfile.mkdtemp(dir=self._settings["work_folder"])
            os.chdir(nowhere)
            os.rmdir(nowhere)

    def has_children(self) -> bool:
        """Whether slots of it, or processes that those left, still live."""
        try:
            pid = self._process.pid if self._process is not None else 0
            with open(f"/proc/{pid}/task/{pid}/children") as file:
                return bool(file.read().strip())
        except OSError:
            return False

    def stop(self) -> None:
        """Kill it; its slots go on until the manager closes them."""
        if self.control is not None:
            self.control.close()
            self.control = None
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


def _stack_limits() -> tuple[int, int]:
    _, hard = resource.getrlimit(resource.RLIMIT_STACK)
    return (_STACK_BYTES if hard == resource.RLIM_INFINITY else min(_STACK_BYTES, hard), hard)


def _read_all(descriptor: int) -> bytes:
    text = b""
    while chunk := os.read(descriptor, 65536):
        text += chunk
    return text


class Launcher:
    """Serves one manager."""

    def __init__(self, manager: socket.socket, settings: dict[str, Any]) -> None:
        self._manager = manager
        self._settings = settings
        self._selector = selectors.DefaultSelector()
        self._templates: dict[str, Template] = {}
        self._cgroups: Cgroups | None = None
        self._slots: dict[int, str] = {}  # slot number → template

    def run(self) -> None:
        """Start, serve, stop."""
        try:
            self._start()
            self._serve()
        finally:
            self._stop()

    def _start(self) -> None:
        syscalls.prctl(syscalls.PR_SET_CHILD_SUBREAPER, 1)
        report: dict[str, Any] = {"templates": {}, "cgroups": "off"}
        if self._settings["cgroups"]:
            self._cgroups, report["cgroups"] = open_cgroups(
                self._settings["cgroup_name"], self._settings["max_processes"]
            )
        report["has_cgroups"] = self._cgroups is not None
        for name, config in self._settings["templates"].items():
            template = Template(name, {**self._settings["slot"], **config}, self._settings)
            report["templates"][name] = template.start()
            if template.control is not None:
                self._add(template)
        wire.send(self._manager, report)

    def _add(self, template: Template) -> None:
        self._templates[template.name] = template
        assert template.control is not None
        self._selector.register(template.control, selectors.EVENT_READ, template)

    def _serve(self) -> None:
        self._selector.register(self._manager, selectors.EVENT_READ, None)
        while True:
            for key, _ in self._selector.select(timeout=1.0):
                if key.data is not None:
                    self._rebuild(key.data)
                elif not self._obey():
                    return
            _reap()

    def _obey(self) -> bool:
        """Do what the manager asks; False where it is gone."""
        message, descriptors = wire.receive(self._manager)
        if message is None:
            return False
        slot = message["slot"]
        template = self._templates.get(self._slots.get(slot, message.get("template", "")))
        try:
            if message["op"] == "slot":
                self._make_slot(message, descriptors)
            elif message["op"] == "kill" and template is not None and template.control is not None:
                wire.send(template.control, {"op": "kill", "slot": slot})
        except OSError as error:
            print(f"slot {slot}: {error}", file=sys.stderr, flush=True)
        finally:
            # A slot that could not be made shows as a closed socket at the manager.
            for descriptor in descriptors:
                os.close(descriptor)
        return True

    def _make_slot(self, message: dict[str, Any], descriptors: list[int]) -> None:
        template = self._templates[message["template"]]
        assert template.control is not None
        request = {"op": "slot", "slot": message["slot"], "meter": None, "build": template.build}
        files: list[int] = []
        if self._cgroups is not None:
            request["meter"], files = self._cgroups.create(message["slot"])
        try:
            wire.send(template.control, request, [descriptors[0], *files])
            self._slots[message["slot"]] = template.name
        finally:
            for file in files:
                os.close(file)

    def _rebuild(self, template: Template) -> None:
        """A template's socket became readable: it never speaks first, so it has ended."""
        assert template.control is not None
        self._selector.unregister(template.control)
        template.stop()
        answer = template.start()
        print(f"template {template.name} ended and was rebuilt: {answer}", file=sys.stderr, flush=True)
        if template.control is not None:
            self._add(template)
        else:
            del self._templates[template.name]

    def _stop(self) -> None:
        # Slots end by themselves, as the manager's end of their sockets closes, and end their runs; their
        # templates have to be there until then, to end what a slot leaves.
        deadline = time.monotonic() + _SLOTS_END_S
        while time.monotonic() < deadline and any(
            template.has_children() for template in self._templates.values()
        ):
            time.sleep(0.01)
        for template in self._templates.values():
            template.stop()
        if self._cgroups is not None:
            self._cgroups.close()
        shutil.rmtree(self._settings["work_folder"], ignore_errors=True)


def _reap() -> None:
    """Wait for orphans that came to us as subreaper."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def _take_signals() -> None:
    """Outlive signals to the whole group, since the manager decides when we end.

    By handlers and not by ignoring: what is ignored or blocked here stays so in every program after its
    exec, and a program that cannot be ended by SIGTERM makes its own parent wait for ever.
    """
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}:
        if signal.getsignal(number) is signal.SIG_IGN and number not in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: None)


def main() -> None:
    """Entry point of the launcher's process."""
    manager = socket.socket(fileno=int(sys.argv[1]))
    _take_signals()
    settings, _ = wire.receive(manager)
    if settings is not None:
        Launcher(manager, settings).run()


if __name__ == "__main__":
    main()
