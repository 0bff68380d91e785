"""How a run ended. A program's own end, a limit of ours and a failure of ours never share a value."""

from dataclasses import dataclass
from enum import StrEnum


class SandboxError(Exception):
    """Raised when the sandbox itself failed: the program was not run, or its end is not known."""


class SandboxSetupError(SandboxError):
    """Raised when a wall could not be put up; names the step."""

    def __init__(self, step: str, detail: str, errno: int | None = None) -> None:
        super().__init__(f"sandbox step '{step}' failed: {detail}")
        self.step, self.errno = step, errno


class Stop(StrEnum):
    """Why a run was killed before its end."""

    TIME = "time"
    MEMORY = "memory"
    OUTPUT = "output"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of one run, measured by the slot, and what it wrote."""

    exit_code: int | None
    """The main process's exit code, or None where a signal ended it."""
    signal: int | None
    """The signal that ended it, ours included."""
    stop: Stop | None
    """Set where a limit or a cancellation ended it."""
    cpu_s: float
    wall_s: float
    peak_bytes: int
    stdout: bytes
    stderr: bytes
    artifact: int | None = None
    """Descriptor of the file that the run was asked to leave; the caller closes it."""
