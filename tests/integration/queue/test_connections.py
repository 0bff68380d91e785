"""How many connections there are, and what is told where there is none."""

import asyncio
from pathlib import Path

import pytest

from code_judge.errors import QueueUnavailable
from code_judge.queue import WorkClass
from code_judge.queue.redis_master_queue import RedisMasterQueue
from code_judge.queue.redis_node_queue import RedisNodeQueue
from code_judge.settings import Settings
from tests.support.redis_queue import QueueCluster, info

CONNECTIONS_OF_THE_TEST = 1


@pytest.mark.needs_redis
async def test_a_master_has_three_connections_and_a_node_two_however_much_they_do_at_once(
    real_cluster: QueueCluster,
) -> None:
    before = len(real_cluster.redis.client_list()) - CONNECTIONS_OF_THE_TEST
    master, node = real_cluster.master(), real_cluster.node()
    replies = asyncio.create_task(master.replies(20.0))

    async with asyncio.timeout(60):
        await asyncio.gather(*(real_cluster.put(master, 5) for _ in range(20)), master.length())
        claims = await asyncio.gather(*(asyncio.to_thread(node.claim, 5) for _ in range(20)))
        most = len(real_cluster.redis.client_list()) - CONNECTIONS_OF_THE_TEST - before
        await asyncio.gather(*(asyncio.to_thread(node.complete, *work) for work in claims))
        await replies

    assert most == 3 + 2


@pytest.mark.needs_redis
async def test_a_single_submission_is_not_held_up_by_the_chunks_of_many_callers(
    real_cluster: QueueCluster,
) -> None:
    master = real_cluster.master()
    put = 0

    async def send_chunk_after_chunk() -> None:
        nonlocal put
        while True:
            await real_cluster.put(master, 10)
            put += 1

    callers = [asyncio.create_task(send_chunk_after_chunk()) for _ in range(64)]
    async with asyncio.timeout(60):
        while put < 100:  # noqa: ASYNC110 - all of them wait for their turns by then
            await asyncio.sleep(0)
        before = put
        for _ in range(10):
            await master.paused()
            await real_cluster.put(master, 1, WorkClass.INTERACTIVE)
        meanwhile = put - before
    for caller in callers:
        caller.cancel()
    await asyncio.gather(*callers, return_exceptions=True)

    # Two commands for each single one, and a chunk or so beside each; 64 if it stood in their line.
    assert meanwhile < 10 * 2 * 8


async def test_every_call_says_that_redis_is_away(tmp_path: Path) -> None:
    settings = Settings(redis_uri=f"unix://{tmp_path}/nobody.sock")
    master, node = RedisMasterQueue(settings), RedisNodeQueue(settings, "node")

    for call in (
        master.replies(0),
        master.head_score(),
        master.states(["{a}:0-0"]),
        master.cancel(["{a}:0-0"]),
        master.cluster(),
        master.length(),
        master.paused(),
    ):
        with pytest.raises(QueueUnavailable, match="Redis cannot be used"):
            await call
    with pytest.raises(QueueUnavailable):
        node.claim(1, 0)
    with pytest.raises(QueueUnavailable):
        node.heartbeat(info("node"))
    with pytest.raises(QueueUnavailable):
        node.deregister()
    await master.close()
    node.close()


@pytest.mark.needs_redis
async def test_both_sides_go_on_after_their_connections_were_cut(real_cluster: QueueCluster) -> None:
    master, node = real_cluster.master(), real_cluster.node()
    await real_cluster.put(master, 2)
    work = node.claim(1)

    real_cluster.redis.client_kill_filter(_type="normal", skipme=True)

    await real_cluster.put(master, 1)
    node.complete(*work)
    assert len(await master.replies(10)) == 1


@pytest.mark.needs_redis
async def test_a_wait_that_is_cut_is_an_error_and_not_an_empty_answer(real_cluster: QueueCluster) -> None:
    master, node = real_cluster.master(), real_cluster.node()
    waits = [
        asyncio.create_task(master.replies(20)),
        asyncio.create_task(asyncio.to_thread(node.claim, 1, 20.0)),
    ]
    async with asyncio.timeout(30):
        while _blocked(real_cluster) < 2:  # noqa: ASYNC110 - Redis tells nobody who waits
            await asyncio.sleep(0.01)

        real_cluster.redis.client_kill_filter(_type="normal", skipme=True)

        errors = await asyncio.gather(*waits, return_exceptions=True)
    assert [type(error) for error in errors] == [QueueUnavailable, QueueUnavailable]


def _blocked(cluster: QueueCluster) -> int:
    return int(cluster.redis.info("clients")["blocked_clients"])
