"""The environment before a whole real judge, with its sandbox."""

import asyncio
import json
import secrets
from pathlib import Path

import pytest

from code_judge_cli.local_judge import LocalJudge
from tests.support.env_server import EnvServer
from tests.support.env_wire import wire

pytestmark = [pytest.mark.needs_openenv, pytest.mark.needs_redis]

NOSY = Path(__file__).with_name("nosy.py.txt").read_text()
"""Defines ``found(own)``: every text of the form MARK-… or INPUT-… within reach, but for ``own``."""


def mark(kind: str) -> str:
    """A word that nobody can guess."""
    return f"{kind}-{secrets.token_hex(16)}"


def tasks_with_marks(folder: Path) -> Path:
    """Two tasks, by stdin and by a function call: half of the tests of each want the word ``clean``, half a
    word that stands nowhere but in the test itself."""
    by_input = [
        {"input": mark("INPUT"), "expected_output": expected}
        for _ in range(2)
        for expected in ("clean", mark("MARK"))
    ]
    by_call = [
        {"call": {"function": "answer", "args": [test["input"]]}, "expected": test["expected_output"]}
        for test in by_input
    ]
    file = folder / "tasks.jsonl"
    tasks = [{"id": "stdin", "prompt": "", "tests": by_input}, {"id": "call", "prompt": "", "tests": by_call}]
    file.write_text("".join(json.dumps(task) + "\n" for task in tasks))
    return file


async def test_a_program_that_looks_for_the_hidden_tests_finds_none(
    real_judge: LocalJudge, tmp_path: Path
) -> None:
    """It prints ``clean`` only where it found nothing but its own input, else what it found: so any find
    loses the tests that want ``clean``, or wins those that want a word of their own."""
    by_input = NOSY + "\nown = sys.stdin.read().strip()\nprint(next(iter(found(own)), 'clean'))"
    by_call = NOSY + "\ndef answer(own):\n    return next(iter(found(own)), 'clean')"
    with EnvServer(real_judge.url, tasks=tasks_with_marks(tmp_path)) as server:
        async with wire(server.url) as session:
            await session.reset(task_id="stdin")
            explored = await session.step(NOSY + "\nprint(found(''), looked_at)")
            assert explored["observation"]["stdout"].startswith("set() "), explored
            assert int(explored["observation"]["stdout"].split()[1]) > 100, explored
            assert (await session.step(by_input, submit=True))["reward"] == 0.5
            await session.reset(task_id="call")
            assert (await session.step(by_call, submit=True))["reward"] == 0.5


async def test_the_nosy_program_finds_what_is_within_its_reach(real_judge: LocalJudge) -> None:
    word = mark("MARK")
    with EnvServer(real_judge.url) as server:
        async with wire(server.url) as session:
            await session.reset(task_id="reverse")
            await session.step(f"held = {word!r}")
            seen = await session.step(NOSY + "\nprint(found(''))")
            assert seen["observation"]["stdout"] == f"{ {word} }\n"


async def test_a_cell_that_is_stopped_is_undone_and_the_session_goes_on(
    real_judge: LocalJudge, tmp_path: Path
) -> None:
    tasks = tmp_path / "tasks.jsonl"
    tests = [{"expected_output": "x"}]
    tasks.write_text(json.dumps({"id": "quick", "prompt": "", "time_limit": 0.5, "tests": tests}))
    with EnvServer(real_judge.url, tasks=tasks) as server:
        async with wire(server.url) as session:
            await session.reset()
            await session.step("x = 1")
            stopped = await session.step("x = 2\nwhile True: pass")
            assert stopped["metadata"]["verdict"] == "time_limit"
            assert "used up its time" in stopped["observation"]["stderr"]
            assert stopped["done"] is False
            assert (await session.step("x"))["observation"]["stdout"] == "1\n"


@pytest.mark.needs_gxx
async def test_cpp_runs_stand_alone_beside_python_cells(real_judge: LocalJudge) -> None:
    program = "#include <iostream>\nint main() { int n; std::cin >> n; std::cout << n * 2; }"
    with EnvServer(real_judge.url) as server:
        async with wire(server.url) as session:
            await session.reset(task_id="reverse")
            await session.step("n = 1")
            seen = await session.step(program, language="cpp", stdin="21")
            assert seen["observation"]["stdout"] == "42"
            broken = await session.step("int main() { return oops; }", language="cpp")
            assert "oops" in broken["observation"]["stderr"]
            assert broken["metadata"]["verdict"] == "compile_error"
            assert (await session.step("n"))["observation"]["stdout"] == "1\n"


async def test_many_sessions_side_by_side_keep_their_own_variables(real_judge: LocalJudge) -> None:
    async def count(number: int, url: str) -> list[str]:
        async with wire(url) as session:
            await session.reset(task_id="reverse")
            await session.step(f"total = {number}")
            return [(await session.step("total += 1\ntotal"))["observation"]["stdout"] for _ in range(4)]

    with EnvServer(real_judge.url) as server:
        seen = await asyncio.gather(*(count(1000 * number, server.url) for number in range(24)))
    assert seen == [[f"{1000 * number + step}\n" for step in range(1, 5)] for number in range(24)]
