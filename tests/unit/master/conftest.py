"""A master over a queue in memory."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import httpx
import pytest

from code_judge.settings import Settings
from tests.support.http_master import OpenMaster, running_master
from tests.support.memory_queue import MemoryQueue, ScriptedNode


@pytest.fixture
async def queue() -> MemoryQueue:
    return MemoryQueue()


@pytest.fixture
async def open_master(queue: MemoryQueue) -> AsyncIterator[OpenMaster]:
    """Starts a master with the given settings and returns a client of it."""
    async with AsyncExitStack() as stack:

        async def start(**settings: object) -> httpx.AsyncClient:
            with_quick_end = Settings.model_validate({"master_grace_time": 0.2, **settings})
            return await stack.enter_async_context(running_master(with_quick_end, lambda _: queue))

        yield start


@pytest.fixture
async def client(open_master: OpenMaster) -> httpx.AsyncClient:
    """A client of a master with the default settings."""
    return await open_master()


@pytest.fixture
async def node(queue: MemoryQueue) -> AsyncIterator[ScriptedNode]:
    """A node for which every program prints its input."""
    async with ScriptedNode(queue) as running:
        yield running
