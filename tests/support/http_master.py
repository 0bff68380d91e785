"""A master spoken to over HTTP but without a socket."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import httpx

from code_judge.master import create_app
from code_judge.master.app import QueueFactory
from code_judge.settings import Settings

OpenMaster = Callable[..., Awaitable[httpx.AsyncClient]]
"""Starts a master with the settings given by keyword and returns a client of it."""


@asynccontextmanager
async def running_master(settings: Settings, queue_factory: QueueFactory) -> AsyncIterator[httpx.AsyncClient]:
    """A started master's client; the master is stopped at the end."""
    app = create_app(settings, queue_factory)
    transport = httpx.ASGITransport(app=app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://judge", timeout=60) as client,
    ):
        yield client
