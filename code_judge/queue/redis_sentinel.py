"""Clients of a Redis that sentinels watch: they ask a sentinel whom to connect to, each time anew."""

from typing import Any

import redis
import redis.asyncio as aioredis
from redis.asyncio.sentinel import Sentinel as AsyncSentinel
from redis.asyncio.sentinel import SentinelConnectionPool as AsyncSentinelConnectionPool
from redis.sentinel import Sentinel, SentinelConnectionPool

from .redis_uri import RedisUri


class _BlockingPool(SentinelConnectionPool, redis.BlockingConnectionPool):
    """Who finds no connection free waits for one, instead of opening more."""


class _AsyncBlockingPool(AsyncSentinelConnectionPool, aioredis.BlockingConnectionPool):
    """The same for an event loop. Also closes the connections to the sentinels, which are nobody else's."""

    async def disconnect(self, inuse_connections: bool = True) -> None:
        await super().disconnect(inuse_connections)
        for sentinel in self.sentinel_manager.sentinels:
            await sentinel.aclose()


def open_client(uri: RedisUri, options: dict[str, Any]) -> redis.Redis:
    """A client of the service's master, whichever that is. Raises ValueError for a bad URI."""
    service, database = uri.service
    sentinel = Sentinel(uri.hosts, sentinel_kwargs=_sentinel_options(uri, options))  # type: ignore[no-untyped-call]
    pool = _BlockingPool(service, sentinel, db=database, ssl=uri.tls, **uri.credentials, **options)  # type: ignore[no-untyped-call]
    return redis.Redis.from_pool(pool)


def open_async_client(uri: RedisUri, options: dict[str, Any]) -> aioredis.Redis:
    """The same for an event loop."""
    service, database = uri.service
    sentinel = AsyncSentinel(uri.hosts, sentinel_kwargs=_sentinel_options(uri, options))  # type: ignore[no-untyped-call]
    pool = _AsyncBlockingPool(service, sentinel, db=database, ssl=uri.tls, **uri.credentials, **options)  # type: ignore[no-untyped-call]
    return aioredis.Redis.from_pool(pool)


def _sentinel_options(uri: RedisUri, options: dict[str, Any]) -> dict[str, Any]:
    """How to speak to the sentinels themselves; they answer at once or not at all."""
    timeout_s = options["socket_connect_timeout"]
    return {"socket_timeout": timeout_s, "socket_connect_timeout": timeout_s, "ssl": uri.tls}
