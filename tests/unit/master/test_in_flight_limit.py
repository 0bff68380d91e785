"""A master's memory is bounded by what it has accepted."""

import asyncio

import httpx

from tests.support.http_master import OpenMaster
from tests.support.memory_queue import MemoryQueue, ScriptedNode

SUBMISSION = {"type": "python", "solution": "", "input": "x" * 600}


def call(client: httpx.AsyncClient) -> asyncio.Task[httpx.Response]:
    return asyncio.create_task(client.post("/run", json=SUBMISSION))


async def test_requests_beyond_the_memory_of_one_process_are_503_until_others_are_answered(
    open_master: OpenMaster, queue: MemoryQueue
) -> None:
    client = await open_master(max_in_flight_mb=0.001)
    first = call(client)
    await asyncio.wait_for(queue.arrival.wait(), 10)

    refused = await call(client)
    async with ScriptedNode(queue):
        await first
        accepted = await call(client)

    assert refused.status_code == 503
    assert int(refused.headers["retry-after"]) >= 1
    assert "MAX_IN_FLIGHT_MB" in refused.json()["detail"]
    assert accepted.status_code == 200


async def test_one_request_alone_passes_however_large(open_master: OpenMaster, queue: MemoryQueue) -> None:
    client = await open_master(max_in_flight_mb=0.0001)

    async with ScriptedNode(queue):
        assert (await call(client)).status_code == 200
