"""A master that stops takes nothing new and leaves nobody without an answer."""

import asyncio
import json
import os
import signal
from types import FrameType

import httpx

from code_judge.master import Master, create_app
from code_judge.master.signals import on_stop_signal
from code_judge.settings import Settings
from tests.support.memory_queue import MemoryQueue, ScriptedNode, echo

BATCH = {"submissions": [{"type": "python", "solution": "", "input": str(i)} for i in range(3)]}


class RunningMaster:
    """A master whose end a test can begin by itself."""

    def __init__(self, queue: MemoryQueue, grace_time_s: float) -> None:
        app = create_app(Settings(master_grace_time=grace_time_s), lambda _: queue)
        self.master: Master = app.state.master
        self.master.start()
        self.client = httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://judge")

    async def call(self, queue: MemoryQueue, **headers: str) -> asyncio.Task[httpx.Response]:
        """A batch that has reached the queue."""
        call = asyncio.create_task(self.client.post("/run/long-batch", json=BATCH, headers=headers))
        await asyncio.wait_for(queue.arrival.wait(), 10)
        return call


async def test_what_is_in_flight_finishes_within_the_grace_time(queue: MemoryQueue) -> None:
    running = RunningMaster(queue, grace_time_s=30)
    call = await running.call(queue)

    stop = asyncio.create_task(running.master.stop())
    await asyncio.sleep(0)
    async with ScriptedNode(queue):
        answer = await call

    assert [result["success"] for result in answer.json()["results"]] == [True] * 3
    await asyncio.wait_for(stop, 10)
    assert queue.closed


async def test_new_work_is_refused_so_that_clients_go_elsewhere(queue: MemoryQueue) -> None:
    running = RunningMaster(queue, grace_time_s=30)
    running.master.drain()

    answer = await running.client.post("/run/long-batch", json=BATCH)
    health = await running.client.get("/healthz")

    assert answer.status_code == 503
    assert int(answer.headers["retry-after"]) >= 1
    assert health.status_code == 503
    await running.master.stop()


async def test_what_outlives_the_grace_time_is_cancelled_and_answered_503(queue: MemoryQueue) -> None:
    running = RunningMaster(queue, grace_time_s=0.05)
    call = await running.call(queue)

    await asyncio.wait_for(running.master.stop(), 10)

    assert (await call).status_code == 503
    assert len(queue.cancelled) == 3


async def test_a_stream_that_outlives_the_grace_time_ends_with_what_is_missing_and_why(
    queue: MemoryQueue,
) -> None:
    running = RunningMaster(queue, grace_time_s=0.05)
    call = await running.call(queue, Accept="application/x-ndjson")
    item = queue.claim()[1]
    queue.complete(item.work_id, echo(item.submission))
    await running.master.stop()

    first, closing = [json.loads(line) for line in (await call).text.splitlines()]
    assert first["index"] == 1
    assert (closing["done"], closing["count"], closing["status"]) == (False, 1, 503)


async def test_a_stop_without_redis_ends_all_the_same(queue: MemoryQueue) -> None:
    running = RunningMaster(queue, grace_time_s=0.05)
    call = await running.call(queue)
    queue.available = False

    await asyncio.wait_for(running.master.stop(), 10)

    assert (await call).status_code == 503
    assert queue.closed


async def test_the_servers_stop_signal_starts_the_drain_and_still_reaches_the_server() -> None:
    """The server's own handler stays in charge; the drain begins beside it, and only while watched for."""
    told: list[str] = []
    drained = asyncio.Event()

    def server(_number: int, _frame: FrameType | None) -> None:
        told.append("server")

    before = signal.signal(signal.SIGTERM, server)
    try:
        with on_stop_signal(drained.set):
            os.kill(os.getpid(), signal.SIGTERM)
            await asyncio.wait_for(drained.wait(), 10)
        assert told == ["server"]
        assert signal.getsignal(signal.SIGTERM) is server
    finally:
        signal.signal(signal.SIGTERM, before)
