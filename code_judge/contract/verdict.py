"""Verdicts and reasons: what became of a submission.

A verdict says exactly what happened. The older ``reason`` is coarser and is kept since existing
clients read it. A program's failure, a limit and a failure of ours never share a verdict.
"""

from enum import StrEnum


class Verdict(StrEnum):
    """The outcome of one submission or of one of its tests."""

    ACCEPTED = "accepted"
    """Ended with exit code 0 within its limits, and its output matched what was expected."""
    RAN = "ran"
    """Ended with exit code 0 within its limits; nothing was expected of its output."""
    WRONG_ANSWER = "wrong_answer"
    """Ended with exit code 0 within its limits, but its output did not match."""
    RUNTIME_ERROR = "runtime_error"
    """Ended with another exit code, or by a signal that no limit of ours sent."""
    COMPILE_ERROR = "compile_error"
    """The compiler refused it, or hit one of the compiler's own limits; nothing was run."""
    TIME_LIMIT = "time_limit"
    """Used up its CPU time, or stayed past its wall-clock allowance; killed."""
    MEMORY_LIMIT = "memory_limit"
    """Its processes together needed more resident memory than allowed."""
    OUTPUT_LIMIT = "output_limit"
    """Wrote more to stdout or stderr than is kept; killed."""
    QUEUE_TIMEOUT = "queue_timeout"
    """Waited longer than its class allows; it was not run. Ours, not the program's: send it again."""
    INVALID_INPUT = "invalid_input"
    """The submission itself could not be judged (a missing field, a lone surrogate, a bad path)."""
    INTERNAL_ERROR = "internal_error"
    """We failed. Says nothing of the program: mask the sample, or send it again."""

    @property
    def is_ours(self) -> bool:
        """Whether the judge failed rather than the program: such a sample must not be scored."""
        return self in (Verdict.QUEUE_TIMEOUT, Verdict.INTERNAL_ERROR)

    @property
    def run_success(self) -> bool:
        """Whether the program ran to a clean end, whatever it printed."""
        return self in (Verdict.ACCEPTED, Verdict.RAN, Verdict.WRONG_ANSWER)

    @property
    def success(self) -> bool:
        """Whether the submission is right as far as it was asked."""
        return self in (Verdict.ACCEPTED, Verdict.RAN)

    @property
    def reason(self) -> "Reason":
        """The legacy reason that goes with this verdict."""
        return _REASONS.get(self, Reason.UNSPECIFIED)


class Reason(StrEnum):
    """Why a submission has no plain answer, in the words that existing clients know."""

    UNSPECIFIED = ""
    """A plain success or a plain failure of the program."""
    WORKER_TIMEOUT = "worker_timeout"
    """The program hit its time limit."""
    QUEUE_TIMEOUT = "queue_timeout"
    """It waited too long for a worker and was not run."""
    INTERNAL_ERROR = "internal_error"
    """The judge failed."""
    INVALID_INPUT = "invalid_input"
    """The submission could not be judged as it was sent."""


_REASONS = {
    Verdict.TIME_LIMIT: Reason.WORKER_TIMEOUT,
    Verdict.QUEUE_TIMEOUT: Reason.QUEUE_TIMEOUT,
    Verdict.INTERNAL_ERROR: Reason.INTERNAL_ERROR,
    Verdict.INVALID_INPUT: Reason.INVALID_INPUT,
}
