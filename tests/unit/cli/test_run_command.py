"""``code-judge run`` against a judge that runs nothing."""

import asyncio
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from code_judge.contract import Result, Verdict
from code_judge_cli import judge_address
from code_judge_cli.exit_codes import CliExit
from code_judge_cli.main import run
from code_judge_client import RetryPolicy
from tests.support.command import CODE_JUDGE, Command, until
from tests.support.fake_judge import FakeJudge, ended

OUTCOMES = {
    Verdict.ACCEPTED: CliExit.OK,
    Verdict.RAN: CliExit.OK,
    Verdict.WRONG_ANSWER: CliExit.NOT_OK,
    Verdict.RUNTIME_ERROR: CliExit.NOT_OK,
    Verdict.COMPILE_ERROR: CliExit.NOT_OK,
    Verdict.TIME_LIMIT: CliExit.NOT_OK,
    Verdict.MEMORY_LIMIT: CliExit.NOT_OK,
    Verdict.OUTPUT_LIMIT: CliExit.NOT_OK,
    Verdict.INVALID_INPUT: CliExit.NOT_OK,
    Verdict.QUEUE_TIMEOUT: CliExit.NO_JUDGE,
    Verdict.INTERNAL_ERROR: CliExit.NO_JUDGE,
}


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge_address, "RETRY", RetryPolicy(attempts=1))
    for variable in (judge_address.URL_VARIABLE, judge_address.KEY_VARIABLE):
        monkeypatch.delenv(variable, raising=False)


@pytest.fixture
async def judge() -> AsyncIterator[FakeJudge]:
    async with FakeJudge() as running:
        yield running


@pytest.fixture
def program(tmp_path: Path) -> Path:
    file = tmp_path / "program.py"
    file.write_text("print('ü')\n")
    return file


async def code_judge(*argv: object) -> int:
    """The command's exit code; on a thread, since it runs an event loop of its own."""
    return await asyncio.to_thread(run, [str(word) for word in argv])


async def test_the_file_is_sent_as_it_is_with_what_the_options_say(
    judge: FakeJudge, program: Path, tmp_path: Path
) -> None:
    (tmp_path / "expected").write_text("6")
    options = ["--input", "1 2 3", "--expected-file", tmp_path / "expected", "--checker", "tokens"]

    await code_judge("run", program, "--url", judge.url, *options, "--time-limit", 2, "--memory-limit", 64)

    [request] = judge.requests
    [sent] = request.submissions
    wanted = {
        "type": "python",
        "solution": "print('ü')\n",
        "input": "1 2 3",
        "expected_output": "6",
        "checker": "tokens",
        "time_limit": 2.0,
        "memory_limit": 64.0,
    }
    assert wanted.items() <= sent.items()


@pytest.mark.parametrize("verdict", Verdict)
async def test_the_exit_code_is_0_only_where_the_run_was_ok(
    verdict: Verdict, judge: FakeJudge, program: Path
) -> None:
    async def behave(submission: dict[str, Any]) -> Result:
        return ended(submission, verdict)

    judge.behave = behave

    assert await code_judge("run", program, "--url", judge.url) == OUTCOMES[verdict]


async def test_the_output_is_shown_but_cannot_steer_the_terminal(
    judge: FakeJudge, program: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    await code_judge("run", program, "--url", judge.url, "--input", "[red]plain[/red] \x1b[2J \a")

    shown = capsys.readouterr().out
    assert "[red]plain[/red] \\x1b[2J \\x07" in shown
    assert "\x1b" not in shown


async def test_a_judge_that_cannot_be_reached_is_named(
    program: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = await code_judge("run", program, "--url", "http://127.0.0.1:1")

    assert code == CliExit.NO_JUDGE
    assert "127.0.0.1:1" in capsys.readouterr().err


async def test_the_api_key_of_the_environment_is_sent(
    judge: FakeJudge, program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge.api_key = "secret"
    assert await code_judge("run", program, "--url", judge.url) == CliExit.USAGE

    monkeypatch.setenv("API_KEY", "secret")
    assert await code_judge("run", program, "--url", judge.url) == CliExit.OK


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (["run", "missing.py"], "cannot read missing.py"),
        (["run", "program.unknown"], "name it with --type"),
        (["run", "{program}", "--time-limit", "-1"], "time_limit"),
        (["run", "{program}", "--checker", "guess"], "unknown checker"),
        (["run", "{latin1}"], "not UTF-8"),
    ],
)
async def test_what_is_wrong_with_the_command_line_is_said(
    argv: list[str], told: str, program: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    latin1 = program.with_name("latin1.py")
    latin1.write_bytes(b"print('\xfc')")

    code = await code_judge(*(word.format(program=program, latin1=latin1) for word in argv))

    assert code == CliExit.USAGE
    assert told in capsys.readouterr().err


async def test_status_shows_the_nodes_and_what_waits(
    judge: FakeJudge, capsys: pytest.CaptureFixture[str]
) -> None:
    assert await code_judge("status", "--url", judge.url) == CliExit.OK

    shown = capsys.readouterr().out
    assert "node n1" in shown
    assert "3 long_batch" in shown


async def test_a_watched_status_is_shown_again_and_again_until_ctrl_c(
    judge: FakeJudge, tmp_path: Path
) -> None:
    with Command(tmp_path, *CODE_JUDGE, "status", "--url", judge.url, "--watch", "0.1") as watching:
        await asyncio.to_thread(
            until, lambda: "".join(watching.out).count("node n1") >= 3, "it is shown three times"
        )
        watching.signal(signal.SIGINT)
        assert await asyncio.to_thread(watching.wait) == 128 + signal.SIGINT


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "soon"])
async def test_a_watch_without_a_pause_is_refused(
    seconds: str, judge: FakeJudge, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        await code_judge("status", "--url", judge.url, f"--watch={seconds}")

    assert "is not a number of seconds" in capsys.readouterr().err
