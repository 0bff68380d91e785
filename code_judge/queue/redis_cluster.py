"""Clients of a Redis Cluster. All keys of one queue share a slot, so that one of its nodes serves a queue."""

import asyncio
from typing import Any

import redis
import redis.asyncio as aioredis
from redis.exceptions import TimeoutError as RedisTimeoutError

from .redis_uri import RedisUri


def open_client(uri: RedisUri, options: dict[str, Any]) -> redis.RedisCluster:
    """A client for threads. Looks at the cluster at once; raises RedisError where it cannot."""
    return redis.RedisCluster.from_url(
        uri.plain, connection_pool_class=redis.BlockingConnectionPool, **options
    )


class _BoundedCluster(aioredis.RedisCluster):
    """Who finds no connection free waits for one; the library's own client raises an error."""

    def __init__(self, *, at_once: int, wait_s: float, **options: Any) -> None:
        super().__init__(**options)
        self._free = asyncio.Semaphore(at_once)
        self._wait_s = wait_s

    async def execute_command(self, *args: Any, **options: Any) -> Any:
        try:
            async with asyncio.timeout(self._wait_s):
                await self._free.acquire()
        except TimeoutError:
            raise RedisTimeoutError("no connection was free in time") from None
        try:
            return await super().execute_command(*args, **options)
        finally:
            self._free.release()


def open_async_client(uri: RedisUri, options: dict[str, Any]) -> aioredis.RedisCluster:
    """A client for an event loop."""
    rest = dict(options)
    at_once, wait_s = rest.pop("max_connections"), rest.pop("timeout")
    return _BoundedCluster.from_url(uri.plain, at_once=at_once, wait_s=wait_s, **rest)
