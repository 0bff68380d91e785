"""``code-judge eval`` from the command line to its files."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from code_judge.contract import Result, Verdict
from code_judge_cli.exit_codes import CliExit
from code_judge_cli.local_judge import LocalJudge
from code_judge_cli.main import run
from tests.support.dataset_rows import CASES
from tests.support.fake_judge import FakeJudge, Fault, ended
from tests.support.harmless_runs import really_run

HUMANEVAL = {
    "task_id": "T/0",
    "prompt": "def double(n):\n",
    "test": "def check(candidate):\n    assert candidate(2) == 4\n    assert candidate(3) == 6\n",
    "entry_point": "double",
}


@pytest.fixture
def samples(tmp_path: Path) -> Path:
    """Four samples of two tasks, half of them right."""
    rows = [
        {**HUMANEVAL, "task_id": f"T/{n % 2}", "completion": f"    return {'2 * n' if n < 2 else '4'}\n"}
        for n in range(4)
    ]
    file = tmp_path / "samples.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def results(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_it_judges_counts_and_reports(
    harmless_judge: FakeJudge, samples: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["eval", str(samples), "--url", harmless_judge.url]) == CliExit.OK
    told = capsys.readouterr().out
    for part in ("4 of 2 tasks", "2 of 4 judged", "pass@1", "0.5000", "runtime_error"):
        assert part in told
    lines = results(samples.with_name("samples.results.jsonl"))
    assert sorted((line["id"], line["success"]) for line in lines) == [
        ("T/0", True),
        ("T/0#2", False),
        ("T/1", True),
        ("T/1#2", False),
    ]
    assert "pass@1" in samples.with_name("samples.report.html").read_text()


def test_what_is_judged_already_is_not_judged_again(harmless_judge: FakeJudge, samples: Path) -> None:
    command = ["eval", str(samples), "--url", harmless_judge.url]
    assert run(command) == CliExit.OK
    sent = len(harmless_judge.requests)
    assert run(command) == CliExit.OK
    assert len(harmless_judge.requests) == sent


def test_a_failure_of_the_judge_is_no_wrong_answer_and_is_judged_again(
    harmless_judge: FakeJudge, samples: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def lose_one(submission: dict[str, Any]) -> Result:
        if "return 4" in submission["solution"]:
            return ended(submission, Verdict.INTERNAL_ERROR, stderr="took three nodes down")
        return await really_run(submission)

    harmless_judge.behave = lose_one
    command = ["eval", str(samples), "--url", harmless_judge.url]
    assert run(command) == CliExit.NO_JUDGE
    assert "2 of 2 judged" in capsys.readouterr().out
    harmless_judge.behave = really_run
    assert run(command) == CliExit.OK
    assert "2 of 4 judged" in capsys.readouterr().out


def test_a_judge_that_is_not_there_is_told_at_once(samples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["eval", str(samples), "--url", "http://127.0.0.1:9"]) == CliExit.NO_JUDGE
    assert "127.0.0.1:9" in capsys.readouterr().err


def test_a_wrong_key_is_told(
    harmless_judge: FakeJudge, samples: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    harmless_judge.api_key = "right"
    assert run(["eval", str(samples), "--url", harmless_judge.url]) == CliExit.NO_JUDGE
    assert "api_key" in capsys.readouterr().err


def test_a_judge_that_breaks_on_one_sample_does_not_end_the_evaluation(
    harmless_judge: FakeJudge, samples: Path
) -> None:
    harmless_judge.faults.append(Fault(forget=frozenset({1})))
    assert run(["eval", str(samples), "--url", harmless_judge.url]) == CliExit.NO_JUDGE
    assert len(results(samples.with_name("samples.results.jsonl"))) == 4


@pytest.mark.parametrize(
    ("content", "told"), [("{}", "line 1"), ("", ""), ('{"task_id": "x", "completion": ""}', "--problems")]
)
def test_a_file_of_something_else_is_told(
    tmp_path: Path, content: str, told: str, harmless_judge: FakeJudge, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "f.jsonl"
    file.write_text(content)
    code = run(["eval", str(file), "--url", harmless_judge.url])
    assert code == (CliExit.USAGE if content else CliExit.OK)
    assert told in capsys.readouterr().err


def test_problems_and_output_files_may_be_named(harmless_judge: FakeJudge, tmp_path: Path) -> None:
    problems, file = tmp_path / "problems.jsonl", tmp_path / "mine.jsonl"
    problems.write_text(json.dumps(HUMANEVAL))
    file.write_text(json.dumps({"task_id": "T/0", "completion": "    return n + n"}))
    output, report = tmp_path / "out.jsonl", tmp_path / "page.html"
    files = ["--problems", str(problems), "--output", str(output), "--report", str(report)]
    assert run(["eval", str(file), *files, "--url", harmless_judge.url]) == CliExit.OK
    assert results(output)[0]["success"]
    assert report.exists()


@pytest.mark.needs_redis
def test_a_whole_judge_tells_right_from_wrong_in_every_format(real_judge: LocalJudge, tmp_path: Path) -> None:
    rows = [
        {**problem, **program, "id": f"{kind} {number}"}
        for number, (_, problem, right, wrong) in enumerate(CASES)
        for kind, program in (("right", right), ("wrong", wrong))
    ]
    file = tmp_path / "s.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert run(["eval", str(file), "--url", real_judge.url]) == CliExit.OK
    judged = results(tmp_path / "s.results.jsonl")
    assert {it["id"]: it["success"] for it in judged} == {
        row["id"]: row["id"].startswith("right") for row in rows
    }
    assert {it["verdict"] for it in judged} == {"accepted", "wrong_answer", "runtime_error"}


@pytest.mark.needs_redis
def test_an_evaluation_whose_own_node_dies_says_so_and_ends(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    rows = [{"type": "python", "solution": code} for code in ("pass", "import time; time.sleep(1000)")]
    file.write_text("".join(json.dumps({**row, "time_limit": 10}) + "\n" for row in rows))
    output = tmp_path / "s.results.jsonl"
    command = [sys.executable, "-m", "code_judge_cli.main", "eval", str(file)]
    environ = {**os.environ, "PYTHON_EXECUTOR_PATH": sys.executable, "WARM_TEMPLATES": ";"}
    environ.pop("CODE_JUDGE_URL", None)
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=environ) as evaluation:
        asyncio.run(until(lambda: output.exists() and len(results(output)) == 1, 100))
        [node] = [
            it
            for it in psutil.process_iter(["ppid", "cmdline"])
            if it.info["ppid"] == evaluation.pid and "code_judge_workers.main" in (it.info["cmdline"] or ())
        ]
        node.kill()
        told, errors = evaluation.communicate(timeout=60)
    assert evaluation.returncode == CliExit.NO_JUDGE
    assert "2 of 2 tasks" in told
    assert "1 of 1 judged" in told
    assert "the worker node has ended unexpectedly" in errors
    assert len(results(output)) == 1


async def until(holds: Callable[[], bool], within_s: float) -> None:
    async with asyncio.timeout(within_s):
        while not holds():  # noqa: ASYNC110 - another process makes it hold
            await asyncio.sleep(0.05)


def test_an_interrupted_evaluation_goes_on_where_it_stopped(
    harmless_judge: FakeJudge, tmp_path: Path
) -> None:
    """1. Half of the samples never end; the others are judged. 2. Ctrl-C. 3. The same command again.

    Result: the first half is not judged twice, and all have a result.
    """
    release = asyncio.Event()

    async def half_hang(submission: dict[str, Any]) -> Result:
        if "hang" in submission["input"]:
            await release.wait()
        return ended(submission, Verdict.RAN)

    harmless_judge.behave = half_hang
    file = tmp_path / "s.jsonl"
    rows = [
        {"type": "python", "solution": "", "input": f"{'hang' if n % 2 else 'go'} {n}"} for n in range(40)
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    output = tmp_path / "s.results.jsonl"
    command = [sys.executable, "-m", "code_judge_cli.main", "eval", str(file), "--url", harmless_judge.url]
    interrupted = subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, env={**os.environ, "COLUMNS": "200"}
    )
    asyncio.run(harmless_judge.until(lambda: output.exists() and len(results(output)) == 20, 60))
    interrupted.send_signal(signal.SIGINT)
    _, errors = interrupted.communicate(timeout=60)
    assert interrupted.returncode == 128 + signal.SIGINT
    assert "goes on where this one stopped" in errors
    harmless_judge.behave = really_run
    harmless_judge.requests.clear()
    assert run(["eval", str(file), "--url", harmless_judge.url]) == CliExit.OK
    sent = [it["input"] for seen in harmless_judge.requests for it in seen.submissions]
    assert len(sent) == 20
    assert all("hang" in it for it in sent)
    assert len(results(output)) == 40
