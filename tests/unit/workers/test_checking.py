"""The checkers: what each takes for the expected output, and what not."""

import time

import pytest

from code_judge.contract import CheckerSpec
from code_judge_workers.checking import matches

SAME = {
    # checker, output, expected
    "strip: equal": ("strip", "a\nb\n", "a\nb\n"),
    "strip: end of the text": ("strip", "a\n\n \n", "a"),
    "strip: start of the text": ("strip", "\n  a", "a"),
    "strip: windows lines": ("strip", "a\r\nb\r\n", "a\nb"),
    "strip: nothing": ("strip", " \n", ""),
    "exact: equal": ("exact", "a \r\n", "a \r\n"),
    "exact: nothing": ("exact", "", ""),
    "lines: ends of lines": ("lines", "a  \nb\t\n\n", "a\nb"),
    "lines: windows lines": ("lines", "a\r\nb", "a\nb"),
    "lines: nothing": ("lines", "\n\n", ""),
    "tokens: any white space": ("tokens", "a  b\n\nc\t", "a b c"),
    "tokens: windows lines": ("tokens", "a\r\nb", "a b"),
    "tokens: nothing": ("tokens", "\n", "   "),
    "float: equal as text": ("float", "yes 1", "yes 1"),
    "float: another form": ("float", "0.50 1e3 +2", ".5 1000.0 2.0"),
    "float: within the default": ("float", "1.0000001", "1"),
    "float: exactly the tolerance": ("float:1e-6", "1.000001", "1"),
    "float: relative for large numbers": ("float:1e-6", "1000000.9", "1000000"),
    "float: absolute for small numbers": ("float:1e-6", "0.0000005", "0"),
    "float: given tolerance": ("float:0.1", "1.05 2.0", "1 2.1"),
    "float: no tolerance": ("float:0", "1.10", "1.1"),
    "float: signs of zero": ("float", "-0.0", "0"),
    "float: leading zeros of integers": ("float", "007", "7"),
    "float: not a number, spelled the same": ("float", "nan inf -inf", "nan inf -inf"),
    "float: exponents that no float has": ("float", "1e400 1e-400", "1.0e400 1e-400"),
    "float: the same long number": ("float", "1" * 100_000, "1" * 100_000),
}


@pytest.mark.parametrize(("checker", "output", "expected"), SAME.values(), ids=SAME)
def test_these_are_accepted(checker: str, output: str, expected: str) -> None:
    assert matches(CheckerSpec.parse(checker), output, expected)


DIFFERENT = {
    "strip: ends of lines": ("strip", "a \nb", "a\nb"),
    "strip: blanks within": ("strip", "a  b", "a b"),
    "strip: empty line within": ("strip", "a\n\nb", "a\nb"),
    "strip: case": ("strip", "A", "a"),
    "strip: nothing for something": ("strip", "", "a"),
    "strip: more than expected": ("strip", "a\nb", "a"),
    "exact: final newline": ("exact", "a\n", "a"),
    "exact: windows lines": ("exact", "a\r\n", "a\n"),
    "lines: start of a line": ("lines", " a", "a"),
    "lines: empty line within": ("lines", "a\n\nb", "a\nb"),
    "lines: empty line first": ("lines", "\na", "a"),
    "lines: order": ("lines", "b\na", "a\nb"),
    "lines: missing line": ("lines", "a", "a\nb"),
    "lines: more lines": ("lines", "a\nb", "a"),
    "lines: nothing for something": ("lines", "", "a"),
    "tokens: glued": ("tokens", "ab", "a b"),
    "tokens: order": ("tokens", "b a", "a b"),
    "tokens: more": ("tokens", "a b c", "a b"),
    "tokens: fewer": ("tokens", "a", "a b"),
    "tokens: form of numbers": ("tokens", "1.0", "1"),
    "float: beyond the default": ("float", "1.00001", "1"),
    "float: beyond the tolerance": ("float:1e-6", "1.0000011", "1"),
    "float: whole numbers differ": ("float:10", "5", "6"),
    "float: large whole numbers, the same as doubles": ("float", "9007199254740993", "9007199254740992"),
    "float: words": ("float", "yes", "no"),
    "float: a number for a word": ("float", "0", "no"),
    "float: not a number for a number": ("float:1e9", "nan", "1"),
    "float: infinity for a large number": ("float:1e9", "inf", "1e300"),
    "float: infinities differ": ("float", "inf", "-inf"),
    "float: not a number, spelled otherwise": ("float", "NaN", "nan"),
    "float: hexadecimal": ("float", "0x10", "16"),
    "float: digit groups": ("float", "1_000.0", "1000.0"),
    "float: other digits": ("float", "١.0", "1.0"),
    "float: decimal comma": ("float", "1,5", "1.5"),
    "float: fewer": ("float", "1.0", "1.0 2.0"),
    "float: more": ("float", "1.0 2.0", "1.0"),
    "float: nothing for something": ("float", "", "0.0"),
    "float: exponents beyond all": ("float", "1e99999999999999999999", "1.0"),
    "float: huge against tiny": ("float", "1e999999", "1e-999999"),
    "float: long numbers": ("float:1", "1" * 100_000 + ".0", "1" * 100_000 + ".1"),
}


@pytest.mark.parametrize(("checker", "output", "expected"), DIFFERENT.values(), ids=DIFFERENT)
def test_these_are_refused(checker: str, output: str, expected: str) -> None:
    assert not matches(CheckerSpec.parse(checker), output, expected)


@pytest.mark.parametrize("checker", ["strip", "exact", "lines", "tokens", "float"])
def test_every_text_matches_itself(checker: str) -> None:
    for text in ("", "a", " a\n", "1 2.50\n3", "\r\n", "größe 日本\n", "\x00\x1c\x85", "a\rb"):
        assert matches(CheckerSpec.parse(checker), text, text)


@pytest.mark.parametrize("checker", ["strip", "exact", "lines", "tokens", "float"])
@pytest.mark.parametrize("unit", ["\n", " ", "1 ", "1.5 ", "\r\n", "9" * 300 + " ", "a" * 1_000])
def test_time_grows_with_the_output_and_no_faster(checker: str, unit: str) -> None:
    short, long = (unit * (size // len(unit)) for size in (20_000, 160_000))

    # Eight times the output: 64 times the time would be quadratic. The floor is for the clock's grain.
    assert _time_s(checker, long) < 24 * max(_time_s(checker, short), 0.0005)


def _time_s(checker: str, text: str) -> float:
    """CPU seconds of this thread, the least of a few, for a text that is right up to its end."""
    times = []
    for _ in range(3):
        started = time.thread_time()
        matches(CheckerSpec.parse(checker), text + "x", text + "y")
        times.append(time.thread_time() - started)
    return min(times)
