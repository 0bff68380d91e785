"""Every message type and every error code of OpenEnv's protocol over ``/ws``, as it is on the wire."""

import json

import httpx
import pytest
from websockets import ConnectionClosed

from code_judge_env.server import code_judge_environment
from code_judge_env.server.errors import EnvSettingsError
from tests.support.env_server import EnvServer
from tests.support.env_wire import wire
from tests.support.fake_judge import FakeJudge

pytestmark = pytest.mark.needs_openenv


async def test_a_reset_and_a_step_are_answered_with_observations(server: EnvServer) -> None:
    async with wire(server.url) as session:
        first = await session.reset(task_id="reverse", episode_id="mine")
        seen = await session.step("print(6 * 7)")
    assert first["observation"].keys() == {"stdout", "stderr", "exit_code", "metadata"}
    assert first["observation"]["metadata"]["task"]["prompt"] == "Print the line reversed."
    assert (first["reward"], first["done"]) == (0.0, False)
    assert seen["observation"]["stdout"] == "42\n"
    assert seen["metadata"]["episode_id"] == "mine"
    assert (seen["reward"], seen["done"]) == (0.0, False)


async def test_a_state_message_is_answered_with_the_state(server: EnvServer) -> None:
    async with wire(server.url) as session:
        assert (await session.state())["episode_id"] is None
        await session.reset(task_id="reverse", episode_id="mine")
        await session.step("x = 1")
        state = await session.state()
    assert (state["episode_id"], state["step_count"], state["cells"]) == ("mine", 1, 1)


async def test_mcp_messages_list_and_call_tools(server: EnvServer) -> None:
    async with wire(server.url) as session:
        tools = (await session.rpc("tools/list"))["result"]["tools"]
        assert {tool["name"] for tool in tools} == {"run_python", "run_cpp", "submit"}
        assert all("code" in tool["inputSchema"]["properties"] for tool in tools)
        await session.reset(task_id="reverse")
        answer = await session.rpc("tools/call", name="run_python", arguments={"code": "2 + 2"})
        assert answer["result"] == {"stdout": "4\n", "stderr": "", "exit_code": 0, "done": False}
        await session.rpc("tools/call", name="submit", arguments={"code": "print(input()[::-1])"})
        state = await session.state()
    assert (state["step_count"], state["reward"], state["done"]) == (2, 1.0, True)


async def test_an_unknown_tool_is_a_json_rpc_error(server: EnvServer) -> None:
    async with wire(server.url) as session:
        await session.reset()
        answer = await session.rpc("tools/call", name="reset", arguments={})
    assert "no tool 'reset'; there are: run_python, run_cpp, submit" in answer["error"]["message"]


async def test_a_close_message_ends_the_session(server: EnvServer) -> None:
    async with wire(server.url) as session:
        await session.reset()
        await session.socket.send('{"type": "close"}')
        with pytest.raises(ConnectionClosed):
            await session.hear()
    server.until_sessions(0)


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        ("{not json", "INVALID_JSON"),
        ('{"type": "dance"}', "UNKNOWN_TYPE"),
        ('{"type": "step", "data": {"code": "1", "colour": "red"}}', "VALIDATION_ERROR"),
        ('{"type": "step", "data": {}}', "VALIDATION_ERROR"),
        ('{"type": "step", "data": {"code": "1"}, "timeout_s": 3}', "VALIDATION_ERROR"),
        ('{"type": "step", "data": {"code": "1"}}', "EXECUTION_ERROR"),
    ],
)
async def test_after_a_frame_that_is_refused_the_session_goes_on(
    server: EnvServer, frame: str, code: str
) -> None:
    async with wire(server.url) as session:
        answer = await session.ask_raw(frame)
        assert (answer["type"], answer["data"]["code"]) == ("error", code)
        await session.reset(task_id="reverse")
        assert (await session.step("1 + 1"))["observation"]["stdout"] == "2\n"


async def test_a_validation_error_names_the_field(server: EnvServer) -> None:
    async with wire(server.url) as session:
        data = await session.refused("step", data={"code": "1", "colour": "red"})
    assert [error["loc"] for error in data["errors"]] == [["colour"]]


@pytest.mark.parametrize("frame", ['["no", "object"]', b"\x00\x01"])
async def test_a_frame_that_openenv_cannot_read_ends_the_session(
    server: EnvServer, frame: str | bytes
) -> None:
    async with wire(server.url) as session:
        answer = await session.ask_raw(frame)
        assert (answer["type"], answer["data"]["code"]) == ("error", "SESSION_ERROR")
        with pytest.raises(ConnectionClosed):
            await session.hear()
    server.until_sessions(0)


async def test_an_oversized_frame_closes_the_socket_with_1009(server: EnvServer) -> None:
    async with wire(server.url) as session:
        await session.reset()
        with pytest.raises(ConnectionClosed) as closed:
            await session.step("#" * (1 << 21))
        assert closed.value.rcvd
        assert closed.value.rcvd.code == 1009
    server.until_sessions(0)


async def test_a_lone_surrogate_in_the_code_is_the_agents_and_not_the_sessions_trouble(
    server: EnvServer,
) -> None:
    async with wire(server.url) as session:
        await session.reset(task_id="reverse")
        answer = await session.ask_raw(r'{"type": "step", "data": {"code": "print(ascii(\"\ud83d\"))"}}')
        assert answer["data"]["observation"]["stdout"] == "'\\ufffd'\n"
        assert (await session.step("1 + 1"))["observation"]["stdout"] == "2\n"


async def test_a_capacity_error_carries_the_numbers(judge: FakeJudge) -> None:
    with EnvServer(judge.url, max_concurrent_envs=1) as server:
        async with wire(server.url) as first:
            await first.reset()
            async with wire(server.url) as second:
                data = (await second.hear())["data"]
                assert data["code"] == "CAPACITY_REACHED"
                assert (data["active_sessions"], data["max_sessions"]) == (1, 1)
                with pytest.raises(ConnectionClosed):
                    await second.hear()
            assert (await first.state())["episode_id"]
        server.until_sessions(0)
        async with wire(server.url) as third:
            await third.reset()


async def test_an_environment_that_cannot_be_made_is_a_factory_error(
    server: EnvServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise EnvSettingsError("broken")

    monkeypatch.setattr(code_judge_environment, "checked", fails)
    async with wire(server.url) as session:
        assert (await session.hear())["data"]["code"] == "FACTORY_ERROR"
    assert server.sessions == 0


async def test_production_mode_has_no_http_routes_that_reset_or_step(judge: FakeJudge) -> None:
    with EnvServer(judge.url, openenv_mode="production") as server:
        async with httpx.AsyncClient(base_url=server.url) as http:
            statuses = [
                (await http.post("/reset", json={})).status_code,
                (await http.post("/step", json={"action": {"code": "1"}})).status_code,
                (await http.get("/state")).status_code,
            ]
            request = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
            tools = (await http.post("/mcp", json=request)).json()["result"]["tools"]
        assert statuses == [404, 404, 404]
        assert len(tools) == 3
        # OpenEnv goes no further: docs/openenv.md tells operators so.
        async with wire(server.url) as session:
            await session.reset()


async def test_over_plain_http_a_step_has_no_session_to_belong_to(server: EnvServer) -> None:
    async with httpx.AsyncClient(base_url=server.url) as http:
        assert (await http.post("/reset", json={"seed": 1})).json()["done"] is False
        step = await http.post("/step", json={"action": {"code": "1"}})
    assert step.status_code == 409
    assert "reset() first" in step.json()["detail"]


async def test_the_task_routes_tell_what_there_is(server: EnvServer) -> None:
    async with httpx.AsyncClient(base_url=server.url) as http:
        assert (await http.get("/list_environments")).json() == ["code_judge_env"]
        base = "/code_judge_env"
        splits = (await http.get(f"{base}/splits")).json()
        assert [split["name"] for split in splits] == ["train", "test"]
        counted = await http.post(f"{base}/num_tasks", json={"split": "train"})
        assert counted.json() == {"num_tasks": 3}
        task = (await http.post(f"{base}/task", json={"split": "train", "index": 1})).json()["task"]
        assert task["id"] == "double"
        many = await http.post(f"{base}/task_range", json={"split": "train", "start": 1, "stop": 3})
        assert [it["id"] for it in many.json()["tasks"]] == ["double", "short"]
        assert len((await http.post(f"{base}/tasks", json={"split": "test"})).json()["tasks"]) == 1
        wrong = await http.post(f"{base}/task", json={"split": "train", "index": 9})
        assert wrong.status_code == 400


async def test_all_that_is_answered_is_json_text(server: EnvServer) -> None:
    async with wire(server.url) as session:
        await session.reset(task_id="reverse")
        await session.step("print('\\x00\\x1b[31m\\u20ac')")
        assert json.loads(session.heard[-1])["data"]["observation"]["stdout"] == "\x00\x1b[31m€\n"
