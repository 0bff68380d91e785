"""Compares what a program printed with what was expected, before anything is cut short."""

import re
from collections.abc import Iterator
from decimal import Decimal
from itertools import zip_longest

from code_judge.contract import CheckerKind, CheckerSpec

_TOKEN = re.compile(r"\S+")
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
            return all(got == want for got, want in zip_longest(_lines(output), _lines(expected)))
        case CheckerKind.TOKENS:
            return all(got == want for got, want in zip_longest(_tokens(output), _tokens(expected)))
        case CheckerKind.FLOAT:
            return all(
                got is not None and want is not None and _close(got, want, checker.tolerance)
                for got, want in zip_longest(_tokens(output), _tokens(expected))
            )


def _unix_lines(text: str) -> str:
    return text.replace("\r\n", "\n")


def _tokens(text: str) -> Iterator[str]:
    """One by one: a hostile output of tens of megabytes must not become a list of a million strings."""
    return (match.group() for match in _TOKEN.finditer(text))


def _lines(text: str) -> Iterator[str]:
    text, start = text.rstrip(), 0
    while start <= len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield text[start:end].rstrip()
        start = end + 1


def _close(got: str, want: str, tolerance: float) -> bool:
    """Equal within the tolerance, absolute or relative to the expectation. Whole numbers on both sides are
    compared digit by digit: as doubles, two large ones may be the same. NaN and infinity match themselves
    only, spelled the same."""
    if got == want:
        return True
    if len(got) > _MAX_DIGITS or len(want) > _MAX_DIGITS:
        return False
    if _INTEGER.match(got) and _INTEGER.match(want):
        return int(got) == int(want)
    if not (_DECIMAL.match(got) and _DECIMAL.match(want)):
        return False
    try:
        got_number, want_number, allowed = Decimal(got), Decimal(want), Decimal(repr(tolerance))
        difference = abs(got_number - want_number)
        return difference <= allowed or difference <= allowed * abs(want_number)
    except ArithmeticError:  # exponents beyond any number that means something
        return False
