"""The queue's specification runs over fakeredis and over a real server alike."""

from collections.abc import AsyncIterator

import fakeredis
import pytest
from redis import Redis
from redis.asyncio import Redis as AsyncRedis

from code_judge.queue.connect import open_async_client, open_client
from code_judge.settings import Settings
from code_judge_cli.embedded_redis import EmbeddedRedis
from tests.support.redis_queue import QueueCluster


@pytest.fixture(params=["fakeredis", pytest.param("redis", marks=pytest.mark.needs_redis)])
async def cluster(request: pytest.FixtureRequest, key_prefix: str) -> AsyncIterator[QueueCluster]:
    cluster = (
        _on_fakeredis(key_prefix)
        if request.param == "fakeredis"
        else _on_server(request.getfixturevalue("redis_server"), key_prefix)
    )
    yield cluster
    await cluster.close()


@pytest.fixture
async def real_cluster(redis_server: EmbeddedRedis, key_prefix: str) -> AsyncIterator[QueueCluster]:
    """For what fakeredis cannot show. Its tests are marked needs_redis."""
    cluster = _on_server(redis_server, key_prefix)
    yield cluster
    await cluster.close()


HEARTBEAT_INTERVAL_S = 60.0
"""So long that no test comes near it by itself, on however busy a machine: they set beats back by hand."""


def _on_server(server: EmbeddedRedis, key_prefix: str) -> QueueCluster:
    settings = Settings(
        redis_uri=server.uri, redis_key_prefix=key_prefix, heartbeat_interval=HEARTBEAT_INTERVAL_S
    )
    return QueueCluster(settings, open_client, open_async_client)


def _on_fakeredis(key_prefix: str) -> QueueCluster:
    server = fakeredis.FakeServer()

    def client(*_: object, **__: object) -> Redis:
        return fakeredis.FakeRedis(server=server)

    def async_client(*_: object, **__: object) -> AsyncRedis:
        return fakeredis.FakeAsyncRedis(server=server)

    return QueueCluster(_settings(key_prefix), client, async_client)


def _settings(key_prefix: str, **fields: str) -> Settings:
    return Settings(redis_key_prefix=key_prefix, heartbeat_interval=HEARTBEAT_INTERVAL_S, **fields)
