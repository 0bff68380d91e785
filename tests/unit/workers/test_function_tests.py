"""How a call's value is compared: here, as JSON."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from code_judge.contract import CheckerSpec, FunctionCall
from code_judge_workers.function_test import calling, equal, returned
from code_judge_workers.sandbox.outcome import Outcome
from code_judge_workers.sandbox.program import Program, RunFile

PROGRAM = Program(template="bare", argv=None, files={"main.py": RunFile(b"def f(): ...")})
STRIP, FLOAT = CheckerSpec.parse("strip"), CheckerSpec.parse("float:0.1")

Answering = Callable[[str | None], Outcome]


@pytest.fixture
def answering(tmp_path: Path) -> Iterator[Answering]:
    """Outcomes of runs that left this text as their answer."""
    opened: list[int] = []

    def outcome(answer: str | None) -> Outcome:
        artifact = None
        if answer is not None:
            (tmp_path / "answer").write_text(answer)
            artifact = os.open(tmp_path / "answer", os.O_RDONLY)
            opened.append(artifact)
        return Outcome(0, None, None, 0.0, 0.0, 0, b"", b"", artifact)

    yield outcome
    for descriptor in opened:
        os.close(descriptor)


@pytest.mark.parametrize(
    ("got", "want"),
    [
        (1, 1),
        (1, 1.0),
        (True, 1),
        ("a", "a"),
        (None, None),
        ([1, [2]], [1, [2]]),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    ],
)
def test_equal_as_python_sees_it(got: Any, want: Any) -> None:
    assert equal(got, want)


@pytest.mark.parametrize(
    ("got", "want"),
    [
        (1, "1"),
        (0, None),
        ([1], [1, 2]),
        ([1, 2], [1]),
        ([1, 2], [2, 1]),
        ({"a": 1}, {"a": 1, "b": 2}),
        ({"a": 1, "b": 2}, {"a": 1}),
        ([], {}),
        ("", []),
        (0.1 + 0.2, 0.3),
        (float("nan"), 0),
    ],
)
def test_not_equal(got: Any, want: Any) -> None:
    assert not equal(got, want)


@pytest.mark.parametrize(
    ("got", "want", "close"),
    [
        (0.05, 0, True),
        (104.0, 100, True),
        ([{"a": 1.01}], [{"a": 1.0}], True),
        (1.2, 1.0, False),
        (10, 11, False),
        ("1.0", 1.0, False),
        (float("inf"), 1e308, False),
        (float("nan"), 1.0, False),
        (10**400, 1.5, False),
        (1.5, 10**400, False),
    ],
)
def test_decimals_are_compared_with_the_tolerance_and_whole_numbers_without(
    got: Any, want: Any, close: bool
) -> None:
    assert equal(got, want, 0.1) is close


def test_an_answer_is_what_the_checker_lets_pass(answering: Answering) -> None:
    assert returned(answering("[1, 2.05]"), [1, 2], FLOAT)
    assert not returned(answering("[1, 2.05]"), [1, 2], STRIP)


@pytest.mark.parametrize(
    "answer", [None, "", "[1", "[1] [1]", "nonsense", "[" * 1000, "1" * 900 + "e", "9" * 5000]
)
def test_no_answer_and_what_is_no_json_are_wrong(answering: Answering, answer: str | None) -> None:
    assert not returned(answering(answer), [1], STRIP)


def test_an_answer_far_longer_than_the_expected_one_is_not_even_read(answering: Answering) -> None:
    padded = "[" + " " * 100_000 + "1]"
    assert not returned(answering(padded), [1], STRIP)


def test_a_longer_spelling_of_the_same_is_right(answering: Answering) -> None:
    value = [1e22, "é" * 500]
    assert returned(answering('[10000000000000000000000, "' + "\\u00e9" * 500 + '"]'), value, STRIP)


def test_the_call_goes_along_and_the_expectation_has_no_way_to() -> None:
    program = calling(PROGRAM, "main.py", FunctionCall(function="f", args=["given"]))
    assert program.files["solution.py"].content == b"def f(): ..."
    assert b"given" in program.files["main.py"].content


def test_no_two_runs_leave_their_answers_under_one_name() -> None:
    names = {calling(PROGRAM, "main.py", FunctionCall(function="f")).artifact for _ in range(10)}
    assert len(names) == 10
    assert not any("/" in (name or "/") for name in names)
