"""A master over a real Redis, and a node that runs nothing but answers."""

from collections.abc import AsyncIterator, Iterator

import httpx
import pytest

from code_judge.queue.redis_master_queue import RedisMasterQueue
from code_judge.settings import Settings
from code_judge_cli.embedded_redis import EmbeddedRedis
from tests.support.http_master import running_master
from tests.support.running_node import running_node
from tests.support.scripted_executor import ScriptedExecutor


@pytest.fixture
def settings(redis_server: EmbeddedRedis, key_prefix: str) -> Settings:
    """Settings with a queue of the test's own."""
    return Settings(
        redis_uri=redis_server.uri,
        redis_key_prefix=key_prefix,
        max_workers=8,
        master_grace_time=5,
        heartbeat_interval=0.2,
    )


@pytest.fixture
async def client(settings: Settings) -> AsyncIterator[httpx.AsyncClient]:
    """A client of a master in this process."""
    async with running_master(settings, RedisMasterQueue) as client:
        yield client


@pytest.fixture
def node(settings: Settings) -> Iterator[ScriptedExecutor]:
    with running_node(settings) as executor:
        yield executor


@pytest.fixture
def environ(settings: Settings) -> dict[str, str]:
    """What a process must be told to belong to the same cluster."""
    return {
        "REDIS_URI": settings.redis_uri,
        "REDIS_KEY_PREFIX": settings.redis_key_prefix,
        "MASTER_GRACE_TIME": "5",
        "MAX_BODY_MB": "2",
    }
