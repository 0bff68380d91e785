"""Compares what a program printed with what was expected, before anything is cut short."""

import re
from decimal import Decimal, InvalidOperation

from code_judge.contract import CheckerKind, CheckerSpec

_INTEGER = re.compile(r"[+-]?\d+\Z", re.ASCII)
_DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\Z", re.ASCII)
_MAX_DIGITS = 400
"""Longer numbers are compared as text: no tolerance makes sense there, and parsing them takes long."""


def matches(checker: CheckerSpec, output: str, expected: str) -> bool:
    """Whether ``output`` is what was expected, as ``checker`` sees it."""
    if checker.kind is CheckerKind.EXACT:
        return output == expected
    output, expected = _unix_lines(output), _unix_lines(expected)
    match checker.kind:
        case CheckerKind.STRIP:
            return output.strip() == expected.strip()
        case CheckerKind.LINES:
            return _lines(output) == _lines(expected)
        case CheckerKind.TOKENS:
            return output.split() == expected.split()
        case CheckerKind.FLOAT:
            return _close(output.split(), expected.split(), checker.tolerance)


def _unix_lines(text: str) -> str:
    return text.replace("\r\n", "\n")


def _lines(text: str) -> list[str]:
    lines = [line.rstrip() for line in text.split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _close(output: list[str], expected: list[str], tolerance: float) -> bool:
    return len(output) == len(expected) and all(
        got == want or _close_number(got, want, tolerance) for got, want in zip(output, expected, strict=True)
    )


def _close_number(got: str, want: str, tolerance: float) -> bool:
    """Equal within the tolerance, absolute or relative to the expectation. Whole numbers on both sides are
    compared digit by digit: as doubles, two large ones may be the same. NaN and infinity match themselves
    only, spelled the same."""
    if len(got) > _MAX_DIGITS or len(want) > _MAX_DIGITS:
        return False
    if _INTEGER.match(got) and _INTEGER.match(want):
        return int(got) == int(want)
    if not (_DECIMAL.match(got) and _DECIMAL.match(want)):
        return False
    try:
        got_number, want_number, allowed = Decimal(got), Decimal(want), Decimal(tolerance)
        difference = abs(got_number - want_number)
        return difference <= allowed or difference <= allowed * abs(want_number)
    except InvalidOperation:  # exponents beyond any number that means something
        return False
