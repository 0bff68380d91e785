"""The queue over a Redis that sentinels watch."""

import asyncio
from collections.abc import Iterator

import pytest
from redis import Redis

from code_judge.errors import QueueUnavailable
from code_judge.queue.connect import open_async_client, open_client
from code_judge.queue.redis_master_queue import RedisMasterQueue
from code_judge.settings import Settings
from tests.support.redis_queue import Node, QueueCluster, ids, results
from tests.support.redis_servers import redis_with_sentinel

pytestmark = pytest.mark.needs_redis


@pytest.fixture
def sentinel() -> Iterator[tuple[str, Redis]]:
    with redis_with_sentinel("judge") as uri_and_sentinel:
        yield uri_and_sentinel


async def test_work_goes_on_with_the_replica_after_a_failover(
    sentinel: tuple[str, Redis], key_prefix: str
) -> None:
    uri, watcher = sentinel
    settings = Settings(redis_uri=uri, redis_key_prefix=key_prefix, heartbeat_interval=60)
    cluster = QueueCluster(settings, open_client, open_async_client)
    master, node = cluster.master(), cluster.node()
    await cluster.put(master, 2)
    assert ids(node.claim(1)) == ["a0"]

    master_address = watcher.execute_command("SENTINEL GET-MASTER-ADDR-BY-NAME", "judge")  # type: ignore[no-untyped-call]
    _wait_for_the_replica(*master_address)
    watcher.execute_command("SENTINEL FAILOVER", "judge")  # type: ignore[no-untyped-call]
    async with asyncio.timeout(90):
        while watcher.execute_command("SENTINEL GET-MASTER-ADDR-BY-NAME", "judge") == master_address:  # type: ignore[no-untyped-call]  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        answered: list[str] = []
        while not answered:
            answered = await _work(master, node)

    assert answered == ["a1"]
    await cluster.close()


def _wait_for_the_replica(host: bytes, port: bytes) -> None:
    """See to it that the replica has all that was written so far."""
    with Redis(host.decode(), int(port)) as redis:
        redis.set("written-last", 1)
        assert redis.wait(1, 60_000) == 1


async def _work(master: RedisMasterQueue, node: Node) -> list[str]:
    """What a node and a master do over and over; connections to the old master break first.

    What the old master took and did not pass on is lost: a lease among it comes back by itself.
    """
    try:
        node.beat()
        node.complete(*node.claim())
        return [result.sub_id for result in await results(master, 0.1)]
    except QueueUnavailable:
        return []
