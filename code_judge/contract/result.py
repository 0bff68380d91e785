"""What a client gets back: the plain result that existing clients know, and the full one."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from .verdict import Reason, Verdict

PLAIN_FIELDS = ("sub_id", "success", "run_success", "cost", "stdout", "stderr", "reason")
"""Exactly the fields of a plain ``/run`` answer: some clients build dataclasses from it, and one more
field would break them."""

JUDGE_FIELDS = ("sub_id", "success", "run_success", "cost", "reason")
"""The same for ``/judge``, which leaves the streams out."""


class TestResult(BaseModel):
    """What became of one test of a submission that has ``tests``."""

    __test__ = False  # not a test for pytest to collect
    model_config = ConfigDict(frozen=True)

    verdict: Verdict
    cost: float = 0.0
    """Wall time of the run in seconds."""
    cpu_time: float = 0.0
    """CPU seconds of all its processes."""
    peak_memory_mb: float = 0.0
    stdout: str = ""
    stderr: str = ""
    exit_code: int | None = None
    signal: str | None = None


class Result(BaseModel):
    """The full answer to one submission; the plain one is a choice of its fields.

    ``success``, ``run_success`` and ``reason`` follow from ``verdict`` and never say otherwise:
    build results with :meth:`of`.
    """

    model_config = ConfigDict(frozen=True)

    sub_id: str
    success: bool
    run_success: bool
    cost: float = 0.0
    """Wall time of the run in seconds, 0 where nothing ran."""
    stdout: str = ""
    """At most MAX_STDOUT_ERROR_LENGTH characters, cut after the comparison."""
    stderr: str = ""
    """Likewise; the compiler's messages after ``compile_error``, the reason after ``invalid_input`` and
    ``internal_error``."""
    reason: Reason = Reason.UNSPECIFIED

    verdict: Verdict
    exit_code: int | None = None
    """The main process's exit code; None where a signal ended it or nothing ran."""
    signal: str | None = None
    """The name of the signal that ended the main process, such as ``SIGSEGV``."""
    cpu_time: float = 0.0
    """CPU seconds of all the run's processes."""
    wall_time: float = 0.0
    """Seconds from the start of the run to its end."""
    peak_memory_mb: float = 0.0
    """Most resident memory of all the run's processes together, where the node can tell."""
    stdout_truncated: bool = False
    stderr_truncated: bool = False
    queue_time: float = 0.0
    """Seconds between acceptance and the start of the run, by Redis's clock."""
    node: str | None = None
    """The node that ran it."""
    attempts: int = Field(default=0, ge=0)
    """How often it was handed to a node; more than 1 means that a node was lost on the way."""
    tests: list[TestResult] | None = None
    """One per test that was run, in order; None for a submission without ``tests``."""

    @classmethod
    def of(cls, sub_id: str, verdict: Verdict, **fields: Any) -> "Result":
        """A result whose legacy fields agree with its verdict."""
        return cls(
            sub_id=sub_id,
            success=verdict.success,
            run_success=verdict.run_success,
            reason=verdict.reason,
            verdict=verdict,
            **fields,
        )


def plain(full: Mapping[str, Any]) -> dict[str, Any]:
    """The plain ``/run`` answer out of a full result's fields."""
    return {name: full[name] for name in PLAIN_FIELDS}


def judged(full: Mapping[str, Any]) -> dict[str, Any]:
    """The plain ``/judge`` answer out of a full result's fields."""
    return {name: full[name] for name in JUDGE_FIELDS}
