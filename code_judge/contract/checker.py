"""Names of the checkers that compare a program's output with what was expected."""

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

DEFAULT_TOLERANCE = 1e-6
"""Absolute and relative tolerance of ``float`` without a figure of its own."""


class CheckerKind(StrEnum):
    """How output and expectation are compared. CRLF and LF are the same to all but ``exact``."""

    STRIP = "strip"
    """Equal after white space at both ends of the whole text is dropped. The default."""
    EXACT = "exact"
    """Equal to the last character."""
    LINES = "lines"
    """Equal line by line, blanks at each line's end and empty lines at the text's end dropped."""
    TOKENS = "tokens"
    """The same words in the same order, whatever white space is between them."""
    FLOAT = "float"
    """Like ``tokens``, but decimal numbers may differ by the tolerance; whole numbers may not."""


@dataclass(frozen=True, slots=True)
class CheckerSpec:
    """A checker as a submission names it: ``strip``, ``lines``, ``float:1e-9``, …"""

    kind: CheckerKind = CheckerKind.STRIP
    tolerance: float = DEFAULT_TOLERANCE

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``kind`` or ``float:tolerance``.

        Raises ValueError with the accepted forms where the text is neither.
        """
        name, separator, figure = text.partition(":")
        try:
            kind = CheckerKind(name)
        except ValueError:
            names = ", ".join(CheckerKind)
            raise ValueError(f"unknown checker {text!r}; known: {names}, float:TOLERANCE") from None
        if not separator:
            return cls(kind)
        try:
            tolerance = float(figure)
        except ValueError:
            tolerance = math.nan
        if kind is not CheckerKind.FLOAT or not (math.isfinite(tolerance) and tolerance >= 0):
            raise ValueError(f"bad checker {text!r}; only float takes a figure, finite and not negative")
        return cls(kind, tolerance)
