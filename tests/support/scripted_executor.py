"""An executor that does what a submission's text says, without running anything."""

import threading
from collections.abc import Sequence

from code_judge.contract import LanguageInfo, Protection, Result, Submission, Verdict
from code_judge_workers.executor import Cancelled


class ScriptedRun:
    """``echo`` prints its input, ``wait`` waits to be released, ``raise`` breaks the rules, ``die`` worse."""

    def __init__(self, executor: "ScriptedExecutor", submission: Submission) -> None:
        self._executor = executor
        self._submission = submission
        self._cancelled = threading.Event()

    def result(self) -> Result:
        solution, sub_id = self._submission.solution, self._submission.sub_id or ""
        if solution == "raise":
            raise ZeroDivisionError("by the script")
        if solution == "die":
            raise SystemExit
        if solution == "fail":
            return Result.of(sub_id, Verdict.INTERNAL_ERROR, stderr="the launcher is gone")
        self._executor.enter(sub_id)
        if solution == "wait":
            self._executor.wait_for_release(self._cancelled)
        if self._cancelled.is_set():
            self._executor.killed.append(sub_id)
            raise Cancelled
        return Result.of(sub_id, Verdict.RAN, stdout=self._submission.input or "")

    def cancel(self) -> None:
        self._cancelled.set()
        self._executor.wake()


class ScriptedExecutor:
    """Counts what runs; ``release`` ends all runs that wait."""

    tier = "scripted"

    def __init__(self) -> None:
        self.entered: list[str] = []
        self.killed: list[str] = []
        self.stopped = False
        self._released = False
        self._changed = threading.Condition()

    def start(self) -> None:
        pass

    def prepare(self, submission: Submission) -> ScriptedRun:
        return ScriptedRun(self, submission)

    def languages(self) -> Sequence[LanguageInfo]:
        return [LanguageInfo(name="python", version="scripted")]

    def protections(self) -> Sequence[Protection]:
        return []

    def stop(self) -> None:
        self.stopped = True

    # For tests and runs

    def release(self) -> None:
        with self._changed:
            self._released = True
            self._changed.notify_all()

    def wait_until_running(self, *sub_ids: str) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: set(sub_ids) <= set(self.entered), 20), "waited in vain"

    def enter(self, sub_id: str) -> None:
        with self._changed:
            self.entered.append(sub_id)
            self._changed.notify_all()

    def wait_for_release(self, cancelled: threading.Event) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._released or cancelled.is_set())

    def wake(self) -> None:
        with self._changed:
            self._changed.notify_all()
