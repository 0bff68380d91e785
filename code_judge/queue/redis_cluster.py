"""Clients of a Redis Cluster. All keys of one queue share a slot, so that one of its nodes serves a queue."""

from typing import Any

import redis
import redis.asyncio as aioredis

from .redis_uri import RedisUri


def open_client(uri: RedisUri, options: dict[str, Any]) -> redis.RedisCluster:
    """A client for threads. Looks at the cluster at once; raises RedisError where it cannot."""
    return redis.RedisCluster.from_url(
        uri.plain, connection_pool_class=redis.BlockingConnectionPool, **options
    )


def open_async_client(uri: RedisUri, options: dict[str, Any]) -> aioredis.RedisCluster:
    """A client for an event loop. Who finds no connection free gets an error; a lane sees to that."""
    return aioredis.RedisCluster.from_url(
        uri.plain, **{name: value for name, value in options.items() if name != "timeout"}
    )
