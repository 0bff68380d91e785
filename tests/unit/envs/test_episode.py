"""What a step asks of the judge, and what its result means for the episode."""

from typing import Any

import pytest

from code_judge.contract import Result, TestCase, TestResult, Verdict
from code_judge_env.models import CodeAction, CodeObservation
from code_judge_env.server.episode import Episode, Rules, exit_code_of, keeps_state
from code_judge_env.server.errors import JudgeFailed, StepRefused
from code_judge_env.server.tasks import Task

TESTS = [TestCase(input=str(number), expected_output=f"HIDDEN-{number}") for number in range(4)]


def episode(rules: Rules = Rules(max_steps=5), **fields: Any) -> Episode:  # noqa: B008 - frozen
    given = {"id": "t", "prompt": "…", "tests": TESTS, "languages": ["python", "cpp"], **fields}
    return Episode(Task(**given), rules, "e")


def result(verdict: Verdict = Verdict.RAN, **fields: Any) -> Result:
    return Result.of("s", verdict, **fields)


def graded(*verdicts: Verdict) -> Result:
    tests = [TestResult(verdict=verdict, stdout="what HIDDEN-0 made of it") for verdict in verdicts]
    worst = next((it for it in verdicts if not it.success), Verdict.ACCEPTED)
    return result(worst, tests=tests, stdout="HIDDEN-0", stderr="HIDDEN-1")


def take(running: Episode, action: CodeAction, outcome: Result) -> CodeObservation:
    seen = running.sees(action, outcome)
    running.take(action, outcome, seen)
    return seen


def test_python_cells_bring_their_history_along() -> None:
    running = episode()
    take(running, CodeAction(code="x = 1"), result())
    take(running, CodeAction(code="1 / 0"), result(Verdict.RUNTIME_ERROR, exit_code=1))

    asked = running.asks(CodeAction(code="x", stdin="in"))

    assert (asked.type, asked.solution, asked.input) == ("jupyter", "x", "in")
    assert asked.history == ["x = 1", "1 / 0"]
    assert asked.tests is None


@pytest.mark.parametrize(
    "outcome",
    [
        result(Verdict.TIME_LIMIT, signal="SIGKILL"),
        result(Verdict.MEMORY_LIMIT),
        result(Verdict.OUTPUT_LIMIT),
        result(Verdict.RUNTIME_ERROR, signal="SIGSEGV"),
    ],
)
def test_what_took_its_interpreter_down_is_no_part_of_the_history(outcome: Result) -> None:
    running = episode()
    take(running, CodeAction(code="deadly"), outcome)

    assert not keeps_state(outcome)
    assert running.history == []
    assert running.state.step_count == 1


def test_other_languages_run_stand_alone() -> None:
    running = episode()
    take(running, CodeAction(code="x = 1"), result())

    asked = running.asks(CodeAction(code="int main() {}", language="cpp"))

    assert (asked.type, asked.history) == ("cpp", None)
    take(running, CodeAction(code="int main() {}", language="cpp"), result())
    assert running.history == ["x = 1"]


def test_a_submission_is_judged_alone_by_all_hidden_tests() -> None:
    running = episode(time_limit=2, memory_limit=64, checker="tokens")
    take(running, CodeAction(code="x = 1"), result())

    asked = running.asks(CodeAction(code="print(x)", submit=True))

    assert (asked.type, asked.history, asked.tests) == ("python", None, TESTS)
    assert (asked.time_limit, asked.memory_limit, asked.checker) == (2, 64, "tokens")
    assert asked.stop_on_first_failure is False


def test_the_reward_is_the_share_of_passed_tests_and_nothing_of_them_is_seen() -> None:
    seen = episode().sees(
        CodeAction(code="", submit=True),
        graded(Verdict.ACCEPTED, Verdict.WRONG_ANSWER, Verdict.ACCEPTED, Verdict.TIME_LIMIT),
    )

    assert (seen.reward, seen.done, seen.exit_code) == (0.5, True, 1)
    assert seen.stdout == "passed 2 of 4 hidden tests\n"
    assert "HIDDEN" not in seen.model_dump_json()


def test_all_or_nothing_gives_no_shares() -> None:
    rules = Rules(max_steps=5, all_or_nothing=True)
    action = CodeAction(code="", submit=True)

    assert episode(rules).asks(action).stop_on_first_failure
    assert episode(rules).sees(action, graded(*[Verdict.ACCEPTED] * 4)).reward == 1.0
    assert episode(rules).sees(action, graded(Verdict.ACCEPTED, Verdict.WRONG_ANSWER)).reward == 0.0


def test_a_compilers_message_is_seen_since_it_has_seen_no_test() -> None:
    broken = result(Verdict.COMPILE_ERROR, stderr="main.cpp:1: no such thing", exit_code=1)
    seen = episode().sees(CodeAction(code="", language="cpp", submit=True), broken)

    assert (seen.reward, seen.done, seen.stderr) == (0.0, True, "main.cpp:1: no such thing")


@pytest.mark.parametrize("verdict", [it for it in Verdict if it.is_ours])
@pytest.mark.parametrize("submit", [True, False])
def test_a_failure_of_the_judge_is_neither_a_reward_nor_an_end(verdict: Verdict, submit: bool) -> None:
    running = episode()
    with pytest.raises(JudgeFailed, match="send the same step again"):
        running.sees(CodeAction(code="", submit=submit), result(verdict, stderr="HIDDEN"))
    assert running.state.step_count == 0


def test_one_test_that_was_not_judged_spoils_the_grade() -> None:
    with pytest.raises(JudgeFailed):
        episode().sees(
            CodeAction(code="", submit=True), graded(Verdict.INTERNAL_ERROR, *[Verdict.ACCEPTED] * 3)
        )


def test_what_the_judge_does_not_take_is_told_without_its_words() -> None:
    with pytest.raises(StepRefused, match="a node must offer the language") as error:
        episode().sees(CodeAction(code="", submit=True), result(Verdict.INVALID_INPUT, stderr="HIDDEN-3"))
    assert "HIDDEN" not in str(error.value)


def test_the_step_limit_ends_an_episode_without_reward() -> None:
    running = episode(max_steps=2)

    assert take(running, CodeAction(code="1"), result()).done is False
    assert take(running, CodeAction(code="2"), result()).done is True
    with pytest.raises(StepRefused, match="the episode is over"):
        running.asks(CodeAction(code="3"))


@pytest.mark.parametrize(
    ("outcome", "code"),
    [
        (result(), 0),
        (result(exit_code=0), 0),
        (result(Verdict.RUNTIME_ERROR, exit_code=3), 3),
        (result(Verdict.RUNTIME_ERROR, signal="SIGSEGV"), 139),
        (result(Verdict.TIME_LIMIT), 1),
        (result(Verdict.COMPILE_ERROR), 1),
    ],
)
def test_what_failed_never_has_exit_code_0(outcome: Result, code: int) -> None:
    assert exit_code_of(outcome) == code
