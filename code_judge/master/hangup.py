"""Notices callers that leave before their answer is ready."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.types import Receive

from code_judge.errors import HungUp

from .batch import Batch


@asynccontextmanager
async def until_hangup(batch: Batch, receive: Receive) -> AsyncIterator[None]:
    """Let the batch fail with HungUp once its caller has left; close it in any case at the end.

    For use once the body has been read: the server's next message is the disconnect then.
    """
    watch = asyncio.create_task(_watch(batch, receive))
    try:
        yield
    finally:
        watch.cancel()
        batch.close()


async def _watch(batch: Batch, receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    batch.fail(HungUp("the caller has left"))
