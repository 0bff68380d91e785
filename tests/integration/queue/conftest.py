"""The queue's specification runs over fakeredis, a real server and a real Redis Cluster alike."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import fakeredis
import pytest
from redis import Redis
from redis.asyncio import Redis as AsyncRedis

from code_judge.queue.connect import open_async_client, open_client
from code_judge.settings import Settings
from code_judge_cli.embedded_redis import EmbeddedRedis
from tests.support.redis_queue import QueueCluster
from tests.support.redis_servers import redis_cluster


@pytest.fixture(scope="session")
def cluster_uri() -> Iterator[str]:
    """REDIS_URI of a Redis Cluster: what its scripts do there stays within one slot, or fails."""
    with redis_cluster() as uri:
        yield uri


@pytest.fixture(
    params=[
        "fakeredis",
        pytest.param("server", marks=pytest.mark.needs_redis),
        pytest.param("redis_cluster", marks=pytest.mark.needs_redis),
    ]
)
async def cluster(request: pytest.FixtureRequest, key_prefix: str) -> AsyncIterator[QueueCluster]:
    """Masters and nodes of one queue, over each kind of Redis."""
    match request.param:
        case "fakeredis":
            cluster = _on_fakeredis(key_prefix)
        case "server":
            cluster = _on(request.getfixturevalue("redis_server").uri, key_prefix)
        case _:
            cluster = _on(request.getfixturevalue("cluster_uri"), key_prefix)
    yield cluster
    await cluster.close()


@pytest.fixture
async def real_cluster(redis_server: EmbeddedRedis, key_prefix: str) -> AsyncIterator[QueueCluster]:
    """For what fakeredis cannot show. Its tests are marked needs_redis."""
    cluster = _on(redis_server.uri, key_prefix)
    yield cluster
    await cluster.close()


HEARTBEAT_INTERVAL_S = 60.0
"""So long that no test comes near it by itself, on however busy a machine: they set beats back by hand."""


def _on(uri: str, key_prefix: str) -> QueueCluster:
    return QueueCluster(_settings(key_prefix, redis_uri=uri), open_client, open_async_client)


def _on_fakeredis(key_prefix: str) -> QueueCluster:
    server = fakeredis.FakeServer()

    def client(*_: object, **__: object) -> Redis:
        return fakeredis.FakeRedis(server=server)

    def async_client(*_: object, **__: object) -> AsyncRedis:
        return fakeredis.FakeAsyncRedis(server=server)

    return QueueCluster(_settings(key_prefix), client, async_client)


def _settings(key_prefix: str, **fields: Any) -> Settings:
    return Settings(redis_key_prefix=key_prefix, heartbeat_interval=HEARTBEAT_INTERVAL_S, **fields)
