"""One episode: what has been run, what a step asks of the judge, and what its result means."""

import signal
from dataclasses import dataclass, field
from typing import Any

from code_judge.contract import Result, Submission, Verdict
from code_judge_env.models import CodeAction, CodeObservation, CodeState

from .errors import JudgeFailed, StepRefused
from .tasks import Task

STATEFUL = {"python": "jupyter"}
"""Languages whose steps share their state, and the judge's type that brings it about."""
STOPPED = {
    Verdict.TIME_LIMIT: "stopped: it used up its time",
    Verdict.MEMORY_LIMIT: "stopped: it used more memory than it may",
    Verdict.OUTPUT_LIMIT: "stopped: it wrote more than it may",
}
"""Told on stderr, since an observation has no other field for it."""
DETAILS = {"verdict", "cpu_time", "wall_time", "peak_memory_mb", "stdout_truncated", "stderr_truncated"}
"""Of a result, what goes into the metadata of a step that explores."""


@dataclass(frozen=True, slots=True)
class Rules:
    """How answers are rewarded and how long an episode may be."""

    max_steps: int
    all_or_nothing: bool = False
    every_step_submits: bool = False


@dataclass
class Episode:
    """Changes only by :meth:`take`, so that a step that failed has changed nothing."""

    task: Task
    rules: Rules
    id: str
    history: list[str] = field(default_factory=list)
    """Python cells so far, but for those that took their interpreter down."""
    state: CodeState = field(init=False)

    def __post_init__(self) -> None:
        self.state = CodeState(
            episode_id=self.id,
            task_id=self.task.id,
            split=self.task.split,
            max_steps=self.task.max_steps or self.rules.max_steps,
        )

    def first(self) -> CodeObservation:
        """What ``reset`` answers."""
        return CodeObservation(reward=0.0, metadata={"episode_id": self.id, "task": self.task.public})

    # A step

    def submits(self, action: CodeAction) -> bool:
        return action.submit or self.rules.every_step_submits

    def asks(self, action: CodeAction) -> Submission:
        """What the judge has to run for it. Raises StepRefused."""
        if self.state.done:
            raise StepRefused("the episode is over; reset() begins the next one")
        if action.language not in self.task.languages:
            known = ", ".join(self.task.languages)
            raise StepRefused(f"this task takes no {action.language!r}, but {known}")
        fields: dict[str, Any] = {
            "type": action.language,
            "solution": action.code,
            "time_limit": self.task.time_limit,
            "memory_limit": self.task.memory_limit,
        }
        if self.submits(action):
            fields |= {"tests": self.task.tests, "checker": self.task.checker}
            fields |= {"stop_on_first_failure": self.rules.all_or_nothing}
        else:
            fields |= {"input": action.stdin}
            if stateful := STATEFUL.get(action.language):
                fields |= {"type": stateful, "history": list(self.history)}
        return Submission(**fields)

    def sees(self, action: CodeAction, result: Result) -> CodeObservation:
        """What the agent learns of the result. Raises JudgeFailed where it says nothing of the code."""
        if result.verdict.is_ours:
            raise JudgeFailed(f"the judge answered {result.verdict}")
        if result.verdict is Verdict.INVALID_INPUT:
            # The judge's own words could quote a hidden test.
            raise StepRefused(
                f"the judge takes no such {action.language} program: a node must offer the language, and the "
                "task's limits must be within the judge's"
            )
        seen = self._graded(result) if self.submits(action) else explored(result)
        step = self.state.step_count + 1
        seen.done = self.submits(action) or step >= (self.state.max_steps or step)
        seen.metadata |= {"episode_id": self.id, "step": step, "submitted": self.submits(action)}
        return seen

    def _graded(self, result: Result) -> CodeObservation:
        """Nothing of what the tests fed or what the program made of it: it would tell the tests."""
        total = len(self.task.tests)
        passed = sum(test.verdict.success for test in result.tests or ())
        unjudged = result.tests is None and result.verdict.run_success
        if unjudged or any(test.verdict.is_ours for test in result.tests or ()):
            raise JudgeFailed("the judge did not run all tests")
        share = float(passed == total) if self.rules.all_or_nothing else passed / total
        compiler = result.stderr if result.verdict is Verdict.COMPILE_ERROR else ""
        return CodeObservation(
            stdout=f"passed {passed} of {total} hidden tests\n",
            stderr=compiler,
            exit_code=int(passed < total),
            reward=share,
            metadata={"verdict": str(result.verdict), "tests_passed": passed, "tests_total": total},
        )

    def take(self, action: CodeAction, result: Result, seen: CodeObservation) -> None:
        """Make the step part of the episode."""
        self.state = self.state.model_copy(
            update={
                "step_count": self.state.step_count + 1,
                "done": seen.done,
                "reward": float(seen.reward or 0.0),
                "submitted": self.submits(action),
                "tests_passed": seen.metadata.get("tests_passed"),
                "tests_total": seen.metadata.get("tests_total"),
                "last_exit_code": seen.exit_code,
                "last_verdict": str(result.verdict),
            }
        )
        if action.language in STATEFUL and not self.submits(action) and keeps_state(result):
            self.history.append(action.code)
            self.state.cells = len(self.history)


def explored(result: Result) -> CodeObservation:
    """The observation of code that ran without tests."""
    told = STOPPED.get(result.verdict, "")
    return CodeObservation(
        stdout=result.stdout,
        stderr=f"{result.stderr.rstrip()}\n{told}\n".lstrip() if told else result.stderr,
        exit_code=exit_code_of(result),
        reward=0.0,
        metadata=result.model_dump(mode="json", include=DETAILS),
    )


def exit_code_of(result: Result) -> int:
    """Never 0 for what failed."""
    if number := getattr(signal, result.signal or "", 0):
        return 128 + int(number)
    return result.exit_code if result.exit_code is not None else int(not result.run_success)


def keeps_state(result: Result) -> bool:
    """Whether a cell's variables outlive it: not where it took its interpreter down, and would again."""
    ended_itself = result.run_success or result.verdict is Verdict.RUNTIME_ERROR
    return ended_itself and result.signal is None
