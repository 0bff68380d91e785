"""Redis clients out of REDIS_URI, and Redis's errors in one place.

A process has few connections, however much it does at once: one that blocks, so that nobody polls, and
one or two for everything else. They open when they are first used, and again after they broke.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import redis
import redis.asyncio as aioredis
from redis.asyncio.retry import Retry as AsyncRetry
from redis.backoff import EqualJitterBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from code_judge.errors import QueueUnavailable, SettingsError
from code_judge.settings import Settings

from . import redis_cluster, redis_sentinel
from .redis_uri import RedisUri, Topology

CONNECT_TIMEOUT_S = 5.0
RETRIES = 3
"""Further tries of a command that may be sent twice, 50 to 400 ms apart."""

Client = redis.Redis | redis.RedisCluster
AsyncClient = aioredis.Redis | aioredis.RedisCluster


def open_client(settings: Settings, connections: int, *, repeatable: bool) -> Client:
    """A client for threads with at most so many connections; who finds none free waits for one.

    ``repeatable`` says whether a command may be sent again where its connection broke and nobody knows
    whether Redis has seen it. Raises SettingsError for a bad REDIS_URI; and QueueUnavailable for a Redis
    Cluster that is away, since this client alone has to look at the cluster before anything else.
    """
    retry = Retry(_backoff(), RETRIES if repeatable else 0)
    options = {"max_connections": connections, "retry": retry, **_options(settings)}
    with _bad_uri_named(), redis_errors():
        uri = RedisUri.parse(settings.redis_uri)
        match uri.topology:
            case Topology.SERVER:
                return redis.Redis.from_pool(redis.BlockingConnectionPool.from_url(uri.plain, **options))
            case Topology.SENTINEL:
                return redis_sentinel.open_client(uri, options)
            case Topology.CLUSTER:
                return redis_cluster.open_client(uri, options)


def open_async_client(settings: Settings, connections: int, *, repeatable: bool) -> AsyncClient:
    """The same for an event loop. Connects to nothing yet."""
    retry = AsyncRetry(_backoff(), RETRIES if repeatable else 0)
    options = {"max_connections": connections, "retry": retry, **_options(settings)}
    with _bad_uri_named():
        uri = RedisUri.parse(settings.redis_uri)
        match uri.topology:
            case Topology.SERVER:
                pool = aioredis.BlockingConnectionPool.from_url(uri.plain, **options)
                return aioredis.Redis.from_pool(pool)
            case Topology.SENTINEL:
                return redis_sentinel.open_async_client(uri, options)
            case Topology.CLUSTER:
                return redis_cluster.open_async_client(uri, options)


@contextmanager
def redis_errors() -> Iterator[None]:
    """Every error of Redis's becomes QueueUnavailable: no caller can do more about one than about another."""
    try:
        yield
    except RedisError as error:
        raise QueueUnavailable(f"Redis cannot be used: {error or type(error).__name__}") from error


@contextmanager
def _bad_uri_named() -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        # Without the value: there may be a password in it.
        raise SettingsError(
            f"REDIS_URI: {error}. Give something like redis://HOST:6379, rediss://:PASSWORD@HOST:6379, "
            "unix:///PATH/redis.sock, redis+cluster://HOST:6379 or "
            "redis+sentinel://HOST:26379,HOST:26379/SERVICE"
        ) from None


def _options(settings: Settings) -> dict[str, Any]:
    return {
        "timeout": settings.redis_socket_timeout,
        "socket_timeout": settings.redis_socket_timeout,
        "socket_connect_timeout": min(CONNECT_TIMEOUT_S, settings.redis_socket_timeout),
        "protocol": 2,
    }


def _backoff() -> EqualJitterBackoff:
    return EqualJitterBackoff(cap=0.4, base=0.05)
