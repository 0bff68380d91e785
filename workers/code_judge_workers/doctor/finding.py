"""One thing that was looked at."""

from dataclasses import dataclass
from enum import StrEnum


class Grade(StrEnum):
    """How good it is."""

    FINE = "fine"
    WEAK = "weak"
    """Nodes work without it, but protect or hold less."""
    MISSING = "missing"
    """Something that a node needs: it would not start, not be safe, or lose work."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at, and what to do about it."""

    topic: str
    """What it belongs to: sandbox, programs, redis or limits."""
    name: str
    grade: Grade
    detail: str
    """How it is, or why it is missing."""
    remedy: str = ""
    """What brings it, a command where there is one; empty where it is fine."""
