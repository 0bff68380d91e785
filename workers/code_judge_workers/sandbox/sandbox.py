"""The manager's side of the sandbox: starts the launcher, keeps slots, runs programs in them."""

import logging
import os
import socket
import subprocess
import sys
import threading
import time
from collections import deque
from dataclasses import dataclass
from typing import Any

from code_judge.metrics import Tally, families

from . import wire
from .cgroups import remove_node_cgroups
from .limits import Limits
from .outcome import Outcome, SandboxError, SandboxSetupError, Stop
from .plan import Plan
from .program import Program, bundle, sealed_file
from .streams import Drain, open_stream

SLOT_TRIES = 3
"""Slots that one run may lose before the loss counts as our failure."""
SLOT_START_S = 30.0
"""Seconds that a new slot may take: a template may have to be rebuilt first."""
ANSWER_GRACE_S = 30.0
"""Seconds past a run's last limit after which its slot counts as hung."""

log = logging.getLogger(__name__)


class SlotLost(SandboxError):
    """Raised when a slot ended without an answer."""


@dataclass(eq=False)
class SlotHandle:
    """One slot, from the manager's side."""

    number: int
    template: str
    connection: socket.socket

    def close(self) -> None:
        """End the slot: it sees its socket close."""
        self.connection.close()


class Execution:
    """One program on its way through a slot; may be cancelled from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._slot: SlotHandle | None = None
        self.cancelled = False

    def cancel(self) -> None:
        """Kill the run, or keep it from starting. Idempotent."""
        with self._lock:
            self.cancelled = True
            self._stop(Stop.CANCELLED)

    def stop_for_output(self) -> None:
        with self._lock:
            self._stop(Stop.OUTPUT)

    def _stop(self, cause: Stop) -> None:
        if self._slot is not None:
            try:
                wire.send(self._slot.connection, {"stop": cause.value})
            except OSError:
                pass  # the slot is gone; whoever waits for its answer sees that

    def attach(self, slot: SlotHandle | None) -> None:
        """Say which slot the run is in. Between runs there is none: a late word must not hit the next."""
        with self._lock:
            self._slot = slot
            if self.cancelled:
                self._stop(Stop.CANCELLED)


class Sandbox:
    """Runs programs, as many at once as threads call :meth:`run`."""

    def __init__(self, plan: Plan, max_slots: int, tally: Tally | None = None) -> None:
        self._plan = plan
        self._max_slots = max_slots
        self._tally = tally or Tally()
        self._builds: dict[str, int] = {}
        """How often each template was started, as its latest slot told."""
        self._lock = threading.Lock()
        self._idle: dict[str, list[SlotHandle]] = {}
        self._live = 0
        # Twice as many numbers as slots, oldest first: a number's last slot is surely gone when it returns.
        self._numbers = deque(range(1, 2 * max_slots + 17))
        self._launcher: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self.report: dict[str, Any] = {}

    def start(self) -> None:
        """Start the launcher and its templates. Raises SandboxSetupError."""
        with self._lock:
            self._start_launcher()

    def stop(self) -> None:
        """End every slot, the templates and the launcher, and remove what they made."""
        with self._lock:
            for slots in self._idle.values():
                for slot in slots:
                    slot.close()
            self._idle.clear()
            self._stop_launcher()
        self._plan.close()

    def run(self, program: Program, limits: Limits, execution: Execution | None = None) -> Outcome:
        """Run one program to its end. Raises SandboxError where we failed, not the program."""
        execution = execution or Execution()
        for attempt in range(SLOT_TRIES):
            slot = self._acquire(program.template)
            try:
                outcome = self._run_in(slot, program, limits, execution)
            except SlotLost:
                self._discard(slot)
                log.warning("slot %s was lost in a run, try %s of %s", slot.number, attempt + 1, SLOT_TRIES)
                if execution.cancelled:
                    raise
                self._tally.add(families.RETRIES, "slot_lost")
                continue
            except BaseException:
                self._discard(slot)
                raise
            self._release(slot)
            return outcome
        raise SlotLost(f"{SLOT_TRIES} slots were lost while they ran this program")

    def _run_in(self, slot: SlotHandle, program: Program, limits: Limits, execution: Execution) -> Outcome:
        stdout, stdout_writer = open_stream(program.keep_stdout_bytes, limits.output_bytes)
        stderr, stderr_writer = open_stream(program.keep_stderr_bytes, limits.output_bytes)
        sent = [stdout_writer, stderr_writer]
        try:
            uid = self._plan.uid_of(slot.number)
            if uid:  # so that a program may open its own /dev/stdout
                os.fchown(stdout_writer, uid, uid)
                os.fchown(stderr_writer, uid, uid)
            sent[:0] = [sealed_file("stdin", program.stdin)]
            sent.append(bundle(program.files))
            extra = [program.executable] if program.executable is not None else []
            self._send(slot, {"run": self._plan.run_message(program, limits)}, sent + extra)
        finally:
            for descriptor in sent:
                os.close(descriptor)
        execution.attach(slot)
        try:
            answer, descriptors = self._await_answer(
                slot, Drain(slot.connection.fileno(), [stdout, stderr]), limits, execution
            )
        finally:
            execution.attach(None)
            out, err = stdout.finish(), stderr.finish()
        return _outcome(answer, out, err, descriptors)

    def _await_answer(
        self, slot: SlotHandle, drain: Drain, limits: Limits, execution: Execution
    ) -> tuple[dict[str, Any], list[int]]:
        stopping = False
        # The slot keeps the run's clock; ours is only there for a slot that hangs.
        deadline = time.monotonic() + limits.wall_s + ANSWER_GRACE_S
        while not drain.wait(deadline - time.monotonic()):
            if drain.over() and not stopping:
                stopping = True
                execution.stop_for_output()
            if time.monotonic() > deadline:
                raise SlotLost("the slot did not answer")
        answer, descriptors = wire.receive(slot.connection)
        if answer is None:
            raise SlotLost("the slot ended")
        return answer, descriptors

    def _send(self, slot: SlotHandle, message: dict[str, Any], descriptors: list[int]) -> None:
        try:
            wire.send(slot.connection, message, descriptors)
        except OSError as error:
            raise SlotLost(f"the slot is gone: {error}") from error

    def _acquire(self, template: str) -> SlotHandle:
        """An idle slot of this template, or a new one."""
        with self._lock:
            idle = self._idle.get(template)
            if idle:
                return idle.pop()
            evicted = self._evict() if self._live >= self._max_slots else None
            self._live += 1
            number = self._numbers.popleft()
        if evicted is not None:
            evicted.close()
        try:
            return self._new_slot(number, template)
        except BaseException:
            with self._lock:
                self._forget(number)
            raise

    def _evict(self) -> SlotHandle | None:
        """Take the longest idle slot out. Called with the lock held."""
        for slots in self._idle.values():
            if slots:
                slot = slots.pop(0)
                self._forget(slot.number)
                return slot
        return None

    def _release(self, slot: SlotHandle) -> None:
        with self._lock:
            self._idle.setdefault(slot.template, []).append(slot)

    def _discard(self, slot: SlotHandle) -> None:
        with self._lock:
            self._forget(slot.number)
            self._tell_launcher({"op": "kill", "slot": slot.number})
        slot.close()

    def _forget(self, number: int) -> None:
        self._live -= 1
        self._numbers.append(number)

    def _new_slot(self, number: int, template: str) -> SlotHandle:
        """Have the launcher make a slot, and wait until its walls stand."""
        problem = "the launcher is gone"
        for _ in range(SLOT_TRIES):
            ours, theirs = wire.pair()
            ours.settimeout(SLOT_START_S)
            with self._lock, theirs:
                if not self._tell_launcher(
                    {"op": "slot", "slot": number, "template": template}, [theirs.fileno()]
                ):
                    self._stop_launcher()
                    self._start_launcher()
                    self._builds.clear()
                    for name in self.report["templates"]:
                        self._tally.add(families.TEMPLATE_REBUILDS, name)
                    continue
            try:
                message, _ = wire.receive(ours)
            except TimeoutError:
                message, problem = None, f"no answer in {SLOT_START_S} s"
            if message is None:
                ours.close()
                continue
            if "failed" in message:
                ours.close()
                raise _setup_error(message["failed"])
            ours.settimeout(None)
            self._note_build(template, message["build"])
            return SlotHandle(number, template, ours)
        raise SandboxSetupError("make a slot", problem)

    def _note_build(self, template: str, build: int) -> None:
        """Count how often the template was rebuilt since its slot before this one."""
        with self._lock:
            rebuilds = build - self._builds.get(template, 1)
            if rebuilds > 0:  # else an older slot's word that was long on its way
                self._builds[template] = build
                self._tally.add(families.TEMPLATE_REBUILDS, template, by=rebuilds)

    def _tell_launcher(self, message: dict[str, Any], descriptors: list[int] | None = None) -> bool:
        """Send; False where the launcher is gone. Called with the lock held."""
        try:
            if self._control is None:
                return False
            wire.send(self._control, message, descriptors)
        except OSError:
            return False
        return True

    def _start_launcher(self) -> None:
        ours, theirs = wire.pair()
        with theirs:
            self._launcher = subprocess.Popen(
                [sys.executable, "-m", "code_judge_workers.sandbox.launcher", str(theirs.fileno())],
                env=self._plan.launcher_environment(),
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
            )
        wire.send(ours, self._plan.launcher_message())
        report, _ = wire.receive(ours)
        if report is None:
            raise SandboxSetupError("start the launcher", "it ended; its messages are in this node's log")
        self._control, self.report = ours, report
        self._plan.counts_processes = report["has_cgroups"]

    def _stop_launcher(self) -> None:
        """Close its socket, which it takes as the end, and wait; kill it where it hangs."""
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._launcher is not None:
            try:
                self._launcher.wait(timeout=15)
            except subprocess.TimeoutExpired:
                self._launcher.kill()
                self._launcher.wait()
            killed, self._launcher = self._launcher.returncode != 0, None
            if killed:
                remove_node_cgroups(self._plan.cgroup_name)


def _setup_error(failure: dict[str, Any]) -> SandboxSetupError:
    return SandboxSetupError(failure["step"], failure["text"], failure["errno"])


def _outcome(answer: dict[str, Any], out: bytes, err: bytes, descriptors: list[int]) -> Outcome:
    if "failed" in answer:
        raise _setup_error(answer["failed"])
    ended = answer["ended"]
    stop = Stop(ended["stopped"]) if ended["stopped"] else None
    if ended["out_of_memory"]:
        stop = Stop.MEMORY
    return Outcome(
        exit_code=ended["exit_code"],
        signal=ended["signal"],
        stop=stop,
        cpu_s=ended["cpu_s"],
        wall_s=ended["wall_s"],
        peak_bytes=ended["peak_bytes"],
        stdout=out,
        stderr=err,
        artifact=descriptors[0] if descriptors else None,
    )
