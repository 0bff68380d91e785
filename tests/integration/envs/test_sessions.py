"""What a session remembers, what it forgets, and what it never tells."""

import asyncio
import json
from typing import Any

import httpx
import pytest

from code_judge.contract import Verdict
from tests.support.env_server import EnvServer
from tests.support.env_wire import Wire, wire
from tests.support.fake_judge import FakeJudge, Fault, echo, ended

pytestmark = pytest.mark.needs_openenv


async def test_variables_live_until_the_next_reset(server: EnvServer) -> None:
    async with wire(server.url) as session:
        await session.reset(task_id="reverse")
        await session.step("x = 40")
        assert (await session.step("x + 2"))["observation"]["stdout"] == "42\n"
        await session.reset(task_id="reverse")
        assert "NameError" in (await session.step("x"))["observation"]["stderr"]
        assert (await session.state())["step_count"] == 1


async def test_an_error_ends_neither_the_session_nor_the_variables(server: EnvServer) -> None:
    async with wire(server.url) as session:
        await session.reset(task_id="reverse")
        await session.step("x = 1")
        failed = await session.step("x += 1\n1 / 0")
        assert (failed["observation"]["exit_code"], failed["done"]) == (1, False)
        assert (await session.step("print(x)"))["observation"]["stdout"] == "2\n"


async def test_a_cell_that_ran_out_of_time_is_undone(server: EnvServer, judge: FakeJudge) -> None:
    run = judge.behave

    async def impatient(submission: dict[str, Any]) -> Any:
        if "endless" in submission["solution"]:
            return ended(submission, Verdict.TIME_LIMIT, stdout="so far", signal="SIGKILL")
        return await run(submission)

    judge.behave = impatient
    async with wire(server.url) as session:
        await session.reset(task_id="reverse")
        await session.step("x = 1")
        stopped = (await session.step("endless"))["observation"]
        assert (stopped["exit_code"], stopped["stdout"]) == (137, "so far")
        assert stopped["stderr"] == "stopped: it used up its time\n"
        assert (await session.step("print(x)"))["observation"]["stdout"] == "1\n"
        assert (await session.state())["cells"] == 2


async def test_sessions_share_nothing(server: EnvServer) -> None:
    async def count(name: str) -> str:
        async with wire(server.url) as session:
            await session.reset(task_id="reverse")
            await session.step(f"mine = {name!r}")
            await session.step("mine += mine[-1]")
            return str((await session.step("print(mine)"))["observation"]["stdout"])

    names = [chr(ord("a") + n) for n in range(6)]
    assert await asyncio.gather(*map(count, names)) == [2 * name + "\n" for name in names]


async def test_steps_of_all_sessions_go_to_the_judge_in_batches(judge: FakeJudge) -> None:
    judge.behave = echo
    with EnvServer(judge.url, judge_senders=1) as server:

        async def explore() -> None:
            async with wire(server.url) as session:
                await session.reset(task_id="reverse")
                for _ in range(3):
                    await session.step("1")

        await asyncio.gather(*(explore() for _ in range(16)))
    assert sum(len(request.submissions) for request in judge.requests) == 48
    assert len(judge.requests) < 24
    assert {request.path for request in judge.requests} == {"/run/long-batch"}


async def test_a_step_before_a_reset_is_refused(server: EnvServer) -> None:
    async with wire(server.url) as session:
        error = await session.refused("step", data={"code": "1"})
    assert error["message"] == "no episode has begun: reset() first"


async def test_a_step_after_the_end_of_the_episode_is_refused(server: EnvServer) -> None:
    async with wire(server.url) as session:
        await session.reset(task_id="short")
        assert (await session.step("1"))["done"] is False
        last = await session.step("2")
        assert (last["done"], last["reward"]) == (True, 0.0)
        error = await session.refused("step", data={"code": "3"})
        assert "reset() begins the next one" in error["message"]


async def test_a_silent_session_is_closed_with_its_socket(judge: FakeJudge) -> None:
    # OpenEnv looks for silent sessions every 5 s.
    with EnvServer(judge.url, session_timeout=0.1, step_timeout=2) as server:
        async with wire(server.url) as session:
            await session.reset()
            async with asyncio.timeout(40):
                await session.socket.wait_closed()
        server.until_sessions(0)


# Rewards


@pytest.mark.parametrize(
    ("code", "reward", "verdict"),
    [
        ("print(input()[::-1])", 1.0, "accepted"),
        ("print(input())", 0.25, "wrong_answer"),
        ("raise SystemExit(3)", 0.0, "runtime_error"),
    ],
)
async def test_a_submission_earns_its_share_of_passed_tests(
    server: EnvServer, code: str, reward: float, verdict: str
) -> None:
    async with wire(server.url) as session:
        await session.reset(task_id="reverse")
        explored = await session.step("print(input())", stdin="x")
        assert (explored["reward"], explored["done"]) == (0.0, False)
        graded = await session.step(code, submit=True)
        assert (graded["reward"], graded["done"], graded["metadata"]["verdict"]) == (reward, True, verdict)
        assert graded["metadata"]["tests_total"] == 4


async def test_function_tests_call_the_answer(server: EnvServer) -> None:
    async with wire(server.url) as session:
        await session.reset(task_id="double")
        graded = await session.step("def double(value):\n    return value + value", submit=True)
        assert graded["reward"] == 1.0


async def test_all_or_nothing_rewards_only_the_whole(judge: FakeJudge) -> None:
    with EnvServer(judge.url, all_or_nothing=True) as server:
        async with wire(server.url) as session:
            for code, reward in (("print(input())", 0.0), ("print(input()[::-1])", 1.0)):
                await session.reset(task_id="reverse")
                assert (await session.step(code, submit=True))["reward"] == reward


async def test_every_step_may_be_taken_as_the_answer(judge: FakeJudge) -> None:
    with EnvServer(judge.url, every_step_submits=True) as server:
        async with wire(server.url) as session:
            await session.reset(task_id="reverse")
            graded = await session.step("print(input()[::-1])")
            assert (graded["reward"], graded["done"]) == (1.0, True)


async def test_a_failure_of_the_judge_is_an_error_after_which_the_step_can_be_sent_again(
    server: EnvServer, judge: FakeJudge
) -> None:
    run = judge.behave

    async def broken(submission: dict[str, Any]) -> Any:
        return ended(submission, Verdict.INTERNAL_ERROR, stderr="a node fell over")

    async with wire(server.url) as session:
        await session.reset(task_id="reverse")
        await session.step("x = 5")
        before = await session.state()
        for submit in (False, True):
            judge.behave = broken
            error = await session.refused("step", data={"code": "print(x)", "submit": submit})
            assert error["code"] == "EXECUTION_ERROR"
            assert error["message"].startswith("JUDGE_FAILED")
            assert await session.state() == before
        judge.behave = run
        assert (await session.step("print(x)"))["observation"]["stdout"] == "5\n"


async def test_a_test_that_the_judge_failed_at_is_no_wrong_answer(
    server: EnvServer, judge: FakeJudge
) -> None:
    async def one_test_lost(submission: dict[str, Any]) -> Any:
        return ended(submission, Verdict.ACCEPTED)  # and no result of any test

    judge.behave = one_test_lost
    async with wire(server.url) as session:
        await session.reset(task_id="reverse")
        error = await session.refused("step", data={"code": "1", "submit": True})
        assert error["message"].startswith("JUDGE_FAILED")


async def test_a_transform_may_reward_exploring(judge: FakeJudge) -> None:
    with EnvServer(judge.url, transform="tests.support.env_transforms:BraveryBonus") as server:
        async with wire(server.url) as session:
            await session.reset(task_id="reverse")
            assert (await session.step("1 / 0"))["reward"] == 0.0
            assert (await session.step("1"))["reward"] == 0.125


async def test_a_transform_that_leaves_the_range_is_an_error(judge: FakeJudge) -> None:
    with EnvServer(judge.url, transform="tests.support.env_transforms:too_generous") as server:
        async with wire(server.url) as session:
            await session.reset(task_id="reverse")
            error = await session.refused("step", data={"code": "1"})
            assert "in [0, 1]" in error["message"]
            assert (await session.state())["step_count"] == 0


# Tasks


async def test_the_same_seed_draws_the_same_task(server: EnvServer) -> None:
    async with wire(server.url) as session:

        async def drawn(seed: int) -> str:
            return str((await session.reset(seed=seed))["metadata"]["task"]["id"])

        first = [await drawn(seed) for seed in range(12)]
        assert first == [await drawn(seed) for seed in range(12)]
        assert set(first) == {"reverse", "double", "short"}


async def test_a_task_is_named_by_its_split_and_index(server: EnvServer) -> None:
    async with wire(server.url) as session:
        assert (await session.reset(split="test", index=0))["metadata"]["task"]["id"] == "held-out"
        for wrong in ({"split": "dev"}, {"index": 7}, {"index": -1}, {"task_id": "none"}):
            error = await session.refused("reset", data=wrong)
            assert "no " in error["message"]


async def test_names_that_reset_does_not_know_are_ignored(server: EnvServer) -> None:
    async with wire(server.url) as session:
        await session.reset(task_id="reverse", prompt="a dataset's row", answer=3)


async def test_a_language_that_the_task_does_not_take_is_refused(server: EnvServer) -> None:
    async with wire(server.url) as session:
        await session.reset(task_id="double")
        error = await session.refused("step", data={"code": "1", "language": "cpp"})
        assert error["message"] == "this task takes no 'cpp', but python"


# Hidden tests


async def test_hidden_tests_are_told_nowhere(
    judge: FakeJudge, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """Whatever is asked, answered or failed at: the word that stands in all hidden tests never comes out."""
    spill = "import sys\ntext = sys.stdin.read()\nprint(text)\nprint(text, file=sys.stderr)\nassert not text"
    told: list[str] = []
    with EnvServer(judge.url) as server:
        async with wire(server.url) as session:
            for task in ("reverse", "double", "short"):
                await session.reset(task_id=task)
                await session.step("print(globals())")
                await session.state()
                await session.step(spill, submit=True)
                await session.state()
                await session.reset(task_id=task)
                for fault in quoting_faults():
                    judge.faults.append(fault)
                    await session.ask("step", data={"code": "1", "submit": True})
                await session.rpc("tools/call", name="submit", arguments={"code": spill})
                await session.state()
            told += session.heard
        told += await all_routes(server)
    told += [caplog.text, *capfd.readouterr()]
    assert [text for text in told if "SECRET" in text or "TERCES" in text] == []
    assert any("SECRET" in json.dumps(request.submissions) for request in judge.requests)


def quoting_faults() -> list[Fault]:
    """What a judge that quotes a submission in its errors may answer."""
    return [Fault(body=b"SECRET, and no JSON"), Fault(status=500), Fault(status=422)]


async def all_routes(server: EnvServer) -> list[str]:
    """What every HTTP route answers."""
    told = []
    async with httpx.AsyncClient(base_url=server.url) as http:
        paths = ("/state", "/metadata", "/schema", "/health", "/openapi.json", "/code_judge_env/splits")
        told += [(await http.get(path)).text for path in paths]
        for path, body in (
            ("tasks", {"split": "train"}),
            ("task", {"split": "train", "index": 0}),
            ("task_range", {"split": "train"}),
            ("num_tasks", {"split": "train"}),
        ):
            told.append((await http.post(f"/code_judge_env/{path}", json=body)).text)
        told.append((await http.post("/reset", json={"task_id": "reverse"})).text)
    return told


async def test_the_agents_tools_do_not_tell_the_reward(server: EnvServer) -> None:
    async with wire(server.url) as session:
        await session.reset(task_id="reverse")
        seen = await _call(session, "submit", code="print(input()[::-1])")
    assert seen["reward"] == 1.0  # beside the observation, for the trainer
    assert seen["observation"]["result"].keys() == {"stdout", "stderr", "exit_code", "done"}


async def _call(session: Wire, name: str, **arguments: Any) -> dict[str, Any]:
    data = {"type": "call_tool", "tool_name": name, "arguments": arguments}
    return dict((await session.ask("step", data=data))["data"])


async def test_a_tool_that_is_used_wrongly_tells_the_agent_and_costs_no_step(server: EnvServer) -> None:
    async with wire(server.url) as session:
        await session.reset(task_id="reverse")
        seen = await _call(session, "run_python", cod="1")
        assert seen["observation"]["error"]["message"].startswith("run_python: ")
        assert (seen["reward"], seen["done"]) == (0.0, False)
        assert (await session.state())["step_count"] == 0
