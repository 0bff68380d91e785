"""A master over a queue in memory, spoken to over HTTP but without a socket."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack

import httpx
import pytest

from code_judge.master import create_app
from code_judge.settings import Settings
from tests.support.memory_queue import MemoryQueue, ScriptedNode

Open = Callable[..., Awaitable[httpx.AsyncClient]]


@pytest.fixture
async def queue() -> MemoryQueue:
    return MemoryQueue()


@pytest.fixture
async def open_master(queue: MemoryQueue) -> AsyncIterator[Open]:
    """Starts a master with the given settings and returns a client of it."""
    async with AsyncExitStack() as stack:

        async def start(**settings: object) -> httpx.AsyncClient:
            app = create_app(Settings.model_validate({"master_grace_time": 0.2, **settings}), lambda _: queue)
            await stack.enter_async_context(app.router.lifespan_context(app))
            transport = httpx.ASGITransport(app=app)
            client = httpx.AsyncClient(transport=transport, base_url="http://judge", timeout=30)
            return await stack.enter_async_context(client)

        yield start


@pytest.fixture
async def client(open_master: Open) -> httpx.AsyncClient:
    """A client of a master with the default settings."""
    return await open_master()


@pytest.fixture
async def node(queue: MemoryQueue) -> AsyncIterator[ScriptedNode]:
    """A node for which every program prints its input."""
    async with ScriptedNode(queue) as running:
        yield running
