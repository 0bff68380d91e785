"""The life of a client or processor."""

from enum import StrEnum


class State(StrEnum):
    """Goes one way only: what is closed stays closed."""

    UNOPENED = "unopened"
    OPEN = "open"
    CLOSED = "closed"
