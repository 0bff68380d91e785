"""OpenEnv's own clients, unmodified, and ours."""

import asyncio
from typing import Any

import pytest
from openenv.core.client_types import StepResult
from openenv.core.env_client import EnvClient
from openenv.core.env_server.types import Action, Observation, State
from openenv.core.generic_client import GenericEnvClient
from openenv.core.mcp_client import MCPToolClient

from code_judge.contract import Verdict
from code_judge_env import CodeAction, CodeJudgeEnv, EnvServerError
from tests.support.env_server import EnvServer
from tests.support.fake_judge import FakeJudge, ended

pytestmark = pytest.mark.needs_openenv


async def test_the_generic_client_steps(server: EnvServer) -> None:
    async with GenericEnvClient(base_url=server.url) as env:
        first = await env.reset(seed=1, task_id="reverse")
        assert first.metadata["task"]["id"] == "reverse"
        await env.step({"code": "x = 20"})
        seen = await env.step({"code": "print(x + 1)"})
        assert (seen.observation["stdout"], seen.reward, seen.done) == ("21\n", 0.0, False)
        assert (await env.state())["step_count"] == 2
        graded = await env.step({"code": "print(input()[::-1])", "submit": True})
        assert (graded.reward, graded.done) == (1.0, True)


class CodingAction(Action):
    """As ``coding_env`` has it."""

    code: str


class CodingObservation(Observation):
    """Likewise: three fields, and any other is an error."""

    stdout: str = ""
    stderr: str = ""
    exit_code: int = 0


class CodingState(State):
    """Likewise."""

    last_exit_code: int = 0


class CodingEnv(EnvClient[CodingAction, CodingObservation, CodingState]):
    """A client with the wire format of ``coding_env``'s."""

    def _step_payload(self, action: CodingAction) -> dict[str, Any]:
        return {"code": action.code}

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[CodingObservation]:
        observation = CodingObservation(**payload["observation"])
        return StepResult(observation, payload.get("reward"), bool(payload.get("done")))

    def _parse_state(self, payload: dict[str, Any]) -> CodingState:
        return CodingState(
            episode_id=payload.get("episode_id"),
            step_count=payload.get("step_count", 0),
            last_exit_code=payload.get("last_exit_code", 0),
        )


async def test_the_client_of_coding_env_works_unchanged(server: EnvServer) -> None:
    async with CodingEnv(base_url=server.url) as env:
        await env.reset()
        seen = await env.step(CodingAction(code="import sys\nprint('out')\nprint('err', file=sys.stderr)"))
        assert (seen.observation.stdout, seen.observation.stderr) == ("out\n", "err\n")
        failed = await env.step(CodingAction(code="raise ValueError('no')"))
        assert failed.observation.exit_code == 1
        assert "ValueError: no" in failed.observation.stderr
        assert (await env.state()).last_exit_code == 1


def test_the_client_of_coding_env_works_without_an_event_loop(server: EnvServer) -> None:
    with CodingEnv(base_url=server.url).sync() as env:
        env.reset()
        assert env.step(CodingAction(code="6 * 7")).observation.stdout == "42\n"


async def test_the_tool_client_shares_its_session_with_the_trainer(server: EnvServer) -> None:
    async with MCPToolClient(base_url=server.url) as env:
        assert isinstance(env, MCPToolClient)
        tools = await env.list_tools()
        assert {tool.name for tool in tools} == {"run_python", "run_cpp", "submit"}
        with pytest.raises(RuntimeError, match=r"reset\(\) first"):
            await env.call_tool("run_python", code="1")
        await env.reset(task_id="reverse")
        await env.call_tool("run_python", code="x = 3")
        assert (await env.call_tool("run_python", code="x * x"))["stdout"] == "9\n"
        assert (await env.state()).step_count == 2
        assert (await env.call_tool("submit", code="print(input()[::-1])"))["done"] is True
    await asyncio.to_thread(server.until_sessions, 0)


async def test_tools_may_be_called_by_steps(server: EnvServer) -> None:
    async with GenericEnvClient(base_url=server.url) as env:
        await env.reset(task_id="reverse")
        listed = await env.step({"type": "list_tools"})
        assert len(listed.observation["tools"]) == 3
        arguments = {"code": "print(input())", "stdin": "x"}
        seen = await env.step({"type": "call_tool", "tool_name": "run_python", "arguments": arguments})
        assert seen.observation["result"]["stdout"] == "x\n"


# Ours


async def test_our_client_gives_typed_results(server: EnvServer) -> None:
    async with CodeJudgeEnv(server.url) as env:
        await env.reset(task_id="reverse", episode_id="mine")
        result = await env.step(CodeAction(code="print(input())", stdin="hello"))
        assert (result.observation.stdout, result.observation.exit_code) == ("hello\n", 0)
        state = await env.state()
        assert (state.episode_id, state.last_verdict, state.done) == ("mine", "ran", False)


def test_our_client_works_without_an_event_loop(server: EnvServer) -> None:
    with CodeJudgeEnv(server.url).sync() as env:
        env.reset(task_id="reverse")
        assert env.step(CodeAction(code="print(input()[::-1])", submit=True)).reward == 1.0


async def test_an_error_of_the_server_has_its_code(server: EnvServer) -> None:
    async with CodeJudgeEnv(server.url) as env:
        with pytest.raises(EnvServerError, match=r"reset\(\) first") as error:
            await env.step(CodeAction(code="1"))
    assert error.value.code == "EXECUTION_ERROR"


async def test_our_client_waits_for_a_session_to_become_free(judge: FakeJudge) -> None:
    with EnvServer(judge.url, max_concurrent_envs=1) as server:
        first, second = CodeJudgeEnv(server.url), CodeJudgeEnv(server.url)
        await first.reset()
        waiting = asyncio.ensure_future(second.reset())
        impatient = CodeJudgeEnv(server.url, patience_s=0)
        with pytest.raises(EnvServerError) as error:
            await impatient.reset()
        assert error.value.is_capacity
        assert "1" in str(error.value)
        assert not waiting.done()
        await first.close()
        async with asyncio.timeout(30):
            await waiting
        await second.close()


async def test_our_client_sends_a_step_again_that_the_judge_failed_at(
    server: EnvServer, judge: FakeJudge
) -> None:
    run, calls = judge.behave, []

    async def fails_once(submission: dict[str, Any]) -> Any:
        calls.append(submission)
        return ended(submission, Verdict.INTERNAL_ERROR) if len(calls) == 1 else await run(submission)

    judge.behave = fails_once
    async with CodeJudgeEnv(server.url) as env:
        await env.reset(task_id="reverse")
        assert (await env.step(CodeAction(code="1 + 1"))).observation.stdout == "2\n"
        assert (await env.state()).step_count == 1
