"""Clients that leave, in whatever way: their sessions, runs and descriptors go with them."""

import asyncio
import gc
import json
import sys
import threading
from asyncio.subprocess import PIPE
from typing import Any

import psutil
import pytest

from code_judge_client._loop_thread import LoopThread
from tests.support.env_server import EnvServer
from tests.support.env_wire import wire
from tests.support.fake_judge import FakeJudge, echo

pytestmark = pytest.mark.needs_openenv

GONE_WITHIN_S = 5.0
ROUNDS = 60
KEPT_OPEN = 16
"""Connections to the judge that are kept alive, at both ends, and threads and tasks that are just ending."""

CLIENT = """
import asyncio, json, sys
from websockets.asyncio.client import connect
async def session(number):
    async with connect(sys.argv[1] + "/ws", proxy=None) as socket:
        await socket.send(json.dumps({"type": "reset", "data": {}}))
        await socket.recv()
        if number % 2:
            await socket.send(json.dumps({"type": "step", "data": {"code": "endless"}}))
        print("ready", flush=True)
        await asyncio.Event().wait()
async def main():
    await asyncio.gather(*(session(number) for number in range(8)))
asyncio.run(main())
"""


async def never(_: dict[str, Any]) -> Any:
    await asyncio.Event().wait()


async def until_running(judge: FakeJudge, count: int, within_s: float = 20.0) -> None:
    """Wait until so many programs run; the judge lives in another loop, but a count can be read."""
    async with asyncio.timeout(within_s):
        while judge.running != count:  # noqa: ASYNC110 - see above
            await asyncio.sleep(0.01)


async def test_a_client_that_leaves_in_the_middle_of_a_step_takes_its_run_along(
    server: EnvServer, judge: FakeJudge
) -> None:
    judge.behave = never
    async with wire(server.url) as session:
        await session.reset(task_id="reverse")
        await session.socket.send(json.dumps({"type": "step", "data": {"code": "endless"}}))
        await until_running(judge, 1)
        session.socket.transport.abort()
    await asyncio.to_thread(server.until_sessions, 0, GONE_WITHIN_S)
    await until_running(judge, 0, GONE_WITHIN_S)


async def test_the_sessions_of_a_killed_client_are_gone_within_seconds(
    server: EnvServer, judge: FakeJudge
) -> None:
    judge.behave = never
    address = server.url.replace("http", "ws")
    client = await asyncio.create_subprocess_exec(sys.executable, "-c", CLIENT, address, stdout=PIPE)
    try:
        assert client.stdout
        for _ in range(8):
            assert await client.stdout.readline() == b"ready\n"
        await until_running(judge, 4)
        assert server.sessions == 8
    finally:
        client.kill()
        await client.communicate()
    await asyncio.to_thread(server.until_sessions, 0, GONE_WITHIN_S)
    await until_running(judge, 0, GONE_WITHIN_S)


async def test_rounds_of_connect_reset_step_and_drop_leave_nothing_behind(
    server: EnvServer, judge: FakeJudge
) -> None:
    judge.behave = echo

    async def round_of(number: int) -> None:
        async with wire(server.url) as session:
            await session.reset(seed=number)
            await session.step("1", stdin="x")
            if number % 2:
                session.socket.transport.abort()

    async def rounds(count: int) -> tuple[int, int, int]:
        for number in range(count):
            await round_of(number)
        await asyncio.to_thread(server.until_sessions, 0)
        gc.collect()
        tasks = [it for it in gc.get_objects() if isinstance(it, asyncio.Task) and not it.done()]
        return psutil.Process().num_fds(), threading.active_count(), len(tasks)

    before = await rounds(10)
    after = await rounds(ROUNDS)
    for few, more in zip(before, after, strict=True):
        assert more <= few + KEPT_OPEN, (before, after)


async def test_a_server_that_stops_ends_its_sessions_and_their_runs(judge: FakeJudge) -> None:
    judge.behave = never
    with EnvServer(judge.url) as server:
        async with wire(server.url) as session:
            await session.reset(task_id="reverse")
            await session.socket.send(json.dumps({"type": "step", "data": {"code": "endless"}}))
            await until_running(judge, 1)
            await asyncio.to_thread(server.stop)
            async with asyncio.timeout(20):
                await session.socket.wait_closed()
    await until_running(judge, 0)


def test_a_session_is_closed_from_any_thread() -> None:
    """OpenEnv closes an environment in a thread; the run under way ends in the loop that it belongs to."""
    from code_judge_env.models import CodeAction
    from code_judge_env.server.code_judge_environment import CodeJudgeEnvironment
    from code_judge_env.server.episode import Rules
    from code_judge_env.server.errors import SessionClosed
    from code_judge_env.server.tasks import OWN_TASKS, TaskSet

    class Stuck:
        def __init__(self) -> None:
            self.begun = threading.Event()

        async def run(self, _: object) -> Any:
            self.begun.set()
            await asyncio.Event().wait()

    judging: Any = Stuck()
    environment = CodeJudgeEnvironment(judging, TaskSet.read(OWN_TASKS), Rules(max_steps=5))
    loop = LoopThread("sessions")
    try:
        loop.call(environment.reset_async(seed=1))
        step = loop.submit(environment.step_async(CodeAction(code="1")))
        assert judging.begun.wait(20)
        environment.close()
        with pytest.raises(SessionClosed):
            step.result(20)
        with pytest.raises(SessionClosed, match="connect anew"):
            loop.call(environment.step_async(CodeAction(code="1")))
    finally:
        loop.stop()
