"""What a worker thread needs of whoever runs a submission."""

from collections.abc import Sequence
from typing import Protocol

from code_judge.contract import LanguageInfo, Protection, Result, Submission


class Cancelled(Exception):
    """Raised out of a run that was stopped from outside: it has no result and is not answered."""


class Run(Protocol):
    """A submission being judged by one thread."""

    def result(self) -> Result:
        """Judge it and wait for the end. Never raises for the program's or our own failures: those are
        verdicts. Raises Cancelled where :meth:`cancel` came first."""
        ...

    def cancel(self) -> None:
        """Kill it, from any thread, at any time, more than once."""
        ...


class Executor(Protocol):
    """Runs submissions, many at once: one per worker thread."""

    def start(self) -> None:
        """Start the launcher and probe the languages. Raises SandboxSetupError naming the step."""
        ...

    def prepare(self, submission: Submission) -> Run:
        """A run of this submission; nothing is started before its ``result`` is called."""
        ...

    def languages(self) -> Sequence[LanguageInfo]: ...

    @property
    def tier(self) -> str:
        """The sandbox tier in force."""
        ...

    def protections(self) -> Sequence[Protection]: ...

    def stop(self) -> None:
        """Kill what runs and leave nothing behind: no process, mount, cgroup or folder."""
        ...
