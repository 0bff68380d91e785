"""Scoring by a function of the trainer's own, run on the judge instead of in the trainer."""

import json
import logging
import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from code_judge.contract import Result, Submission
from code_judge_client._errors import JudgeClientError

log = logging.getLogger(__name__)

CALL = """

def _score_for_code_judge():
    import contextlib, inspect, json, sys

    sample = json.load(sys.stdin)
    taken = inspect.signature({function}).parameters
    if not any(it.kind is it.VAR_KEYWORD for it in taken.values()):
        sample = {{name: value for name, value in sample.items() if name in taken}}
    with contextlib.redirect_stdout(sys.stderr):
        score = {function}(**sample)
    if isinstance(score, dict):
        score = score["score"]
    print(f"<result>{{float(score)}}</result>")


if __name__ == "__main__":
    _score_for_code_judge()
"""
"""Follows the scoring file's own text. The sample comes as JSON on stdin and the score leaves between marks;
what the function prints goes to stderr, so that it can neither hide nor forge the marks."""

MARKS = re.compile(r"<result>(.*?)</result>")


@dataclass(frozen=True, slots=True)
class Sample:
    """One response to score, by the names under which verl's scoring functions take it."""

    data_source: Any
    solution_str: str
    ground_truth: Any
    extra_info: Any


@dataclass(frozen=True, slots=True)
class Score:
    """A score, or that there is none."""

    value: float
    """0 where there is none."""
    judged: bool
    """Whether the function gave it. Where not, the sample should be masked: the 0 says nothing of it."""


class ScoringFunction:
    """A function in a Python file that needs nothing but what the judge's nodes have installed."""

    def __init__(self, file: Path, function: str) -> None:
        """Raises OSError where the file cannot be read, ValueError where ``function`` is no name."""
        if not function.isidentifier():
            raise ValueError(f"the scoring function must be a name, not {function!r}")
        self._program = file.expanduser().read_text() + CALL.format(function=function)

    def submission(
        self, sample: Sample, *, time_limit: float | None, memory_limit: float | None
    ) -> Submission:
        """The program that scores this sample."""
        fields = {name: getattr(sample, name) for name in Sample.__slots__}
        return Submission(
            type="python",
            solution=self._program,
            input=json.dumps(fields, default=_as_json),
            time_limit=time_limit,
            memory_limit=memory_limit,
        )


def score_of(outcome: Result | BaseException) -> Score:
    """The number between the last marks. Raises what is not an outcome of the judge."""
    if isinstance(outcome, Result):
        found = MARKS.findall(outcome.stdout)
        if outcome.run_success and found and math.isfinite(value := _number(found[-1])):
            return Score(value, judged=True)
        why = f"{outcome.verdict}: {outcome.stderr[-500:]}"
    elif isinstance(outcome, JudgeClientError):
        why = str(outcome)
    else:
        raise outcome
    log.warning("a response could not be scored: %s", why)
    return Score(0.0, judged=False)


def _number(text: str) -> float:
    """NaN for what is none: a scoring function may have run a response that prints such marks, too."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def _as_json(value: Any) -> Any:
    """Arrays as lists; anything else in words."""
    return value.tolist() if hasattr(value, "tolist") else str(value)
