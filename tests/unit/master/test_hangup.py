"""Callers that hang up leave no work behind."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from fastapi import FastAPI

from code_judge.master import create_app
from code_judge.settings import Settings
from tests.support.memory_queue import MemoryQueue, ScriptedNode

BODY = json.dumps({"submissions": [{"type": "python", "solution": ""}] * 3}).encode()


class Caller:
    """One request, spoken straight to the application so that it can be cut at any moment."""

    def __init__(self, app: FastAPI, path: str, accept: str = "*/*") -> None:
        self._app = app
        self._scope = {
            "type": "http",
            "method": "POST",
            "path": path,
            "query_string": b"",
            "headers": [(b"accept", accept.encode())],
        }
        self._gone = asyncio.Event()
        self._messages = [{"type": "http.request", "body": BODY, "more_body": False}]
        self.received: list[dict[str, Any]] = []
        self.task = asyncio.create_task(app(self._scope, self._receive, self._send))

    def hang_up(self) -> None:
        self._gone.set()

    async def _receive(self) -> dict[str, Any]:
        if self._messages:
            return self._messages.pop()
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Any) -> None:
        self.received.append(message)


@pytest.fixture
async def app(queue: MemoryQueue) -> AsyncIterator[FastAPI]:
    app = create_app(Settings(), lambda _: queue)
    async with app.router.lifespan_context(app):
        yield app


@pytest.mark.parametrize("accept", ["application/json", "application/x-ndjson"])
@pytest.mark.parametrize("claimed", [False, True], ids=["queued", "running"])
async def test_a_caller_that_hangs_up_takes_its_work_along(
    app: FastAPI, queue: MemoryQueue, accept: str, claimed: bool
) -> None:
    caller = Caller(app, "/run/long-batch", accept)
    await asyncio.wait_for(queue.arrival.wait(), 10)
    if claimed:
        queue.claim()

    caller.hang_up()
    await asyncio.wait_for(caller.task, 10)
    await _until_cancelled(queue, 3)

    assert not queue.waiting
    assert not queue.leased


async def test_a_caller_that_hangs_up_while_redis_is_away_is_seen_to_later(
    app: FastAPI, queue: MemoryQueue
) -> None:
    caller = Caller(app, "/run/long-batch")
    await asyncio.wait_for(queue.arrival.wait(), 10)

    queue.available = False
    caller.hang_up()
    await asyncio.wait_for(caller.task, 10)
    queue.available = True

    await _until_cancelled(queue, 3)


async def test_an_answered_call_cancels_nothing(app: FastAPI, queue: MemoryQueue) -> None:
    async with ScriptedNode(queue):
        caller = Caller(app, "/run/long-batch")
        await asyncio.wait_for(caller.task, 10)

    assert caller.received[0]["status"] == 200
    assert not queue.cancelled


async def _until_cancelled(queue: MemoryQueue, count: int) -> None:
    async with asyncio.timeout(10):
        while len(queue.cancelled) < count:  # noqa: ASYNC110 - the queue tells nobody
            await asyncio.sleep(0.005)
