"""What masters and nodes may rely on while nothing goes wrong."""

import asyncio
import json
import time
from dataclasses import replace

import pytest

from code_judge.contract import Verdict
from code_judge.errors import QueueFull
from code_judge.queue import WorkClass, WorkState
from tests.support.redis_queue import QueueCluster, ids, results


async def test_an_item_reaches_a_node_as_it_was_submitted(cluster: QueueCluster) -> None:
    [item] = await cluster.put(cluster.master(), 1)

    [work] = cluster.node().claim()

    assert replace(work.payload, timestamp=0.0) == item
    assert work.attempt == 1


async def test_items_are_stamped_by_rediss_clock(cluster: QueueCluster) -> None:
    """Tests and Redis share a clock here, so that the two can be compared."""
    before = time.time() - 0.001
    await cluster.put(cluster.master(), 1)
    [work] = cluster.node().claim()

    assert before <= work.payload.timestamp <= time.time() + 0.001
    assert 0 <= work.queue_time_s < time.time() - before


async def test_an_item_that_waited_too_long_says_so_to_the_node_that_claims_it(cluster: QueueCluster) -> None:
    await cluster.put(cluster.master(), 1, max_wait_s=1e-9)
    await cluster.put(cluster.master(), 1, max_wait_s=60.0)

    assert [work.expired for work in cluster.node().claim()] == [True, False]


async def test_a_node_gets_no_more_than_it_asks_for_and_no_item_twice(cluster: QueueCluster) -> None:
    one, two = cluster.node(), cluster.node()
    await cluster.put(cluster.master(), 10)

    claims = [one.claim(3), two.claim(3), one.claim(3), two.claim(3), one.claim(3)]

    assert [len(claim) for claim in claims] == [3, 3, 3, 1, 0]
    assert sorted(name for claim in claims for name in ids(claim)) == [f"a{i}" for i in range(10)]


async def test_answers_reach_the_master_that_asked(cluster: QueueCluster) -> None:
    one, two, node = cluster.master(), cluster.master(), cluster.node()
    await cluster.put(one, 2)
    await cluster.put(two, 2)

    node.complete(*node.claim(), stdout="done")

    assert sorted(result.sub_id for result in await results(one)) == ["a0", "a1"]
    assert sorted(result.sub_id for result in await results(two)) == ["b0", "b1"]


async def test_an_answer_carries_the_full_result_under_its_work_id(cluster: QueueCluster) -> None:
    master, node = cluster.master(), cluster.node()
    [item] = await cluster.put(master, 1)
    [work] = node.claim()
    node.complete(work, stdout="two\nlines")

    [reply] = await master.replies(0)

    assert reply.work_id == item.work_id
    assert json.loads(reply.result) == node.result(work, "two\nlines").model_dump(mode="json")


async def test_an_item_is_answered_once_however_often_it_is_completed(cluster: QueueCluster) -> None:
    master, node = cluster.master(), cluster.node()
    await cluster.put(master, 1)
    work = node.claim()

    node.complete(*work, *work)
    node.complete(*work)

    assert len(await results(master)) == 1


async def test_nothing_of_an_answered_item_stays_in_redis(cluster: QueueCluster) -> None:
    master, node = cluster.master(), cluster.node()
    await cluster.put(master, 3)
    node.complete(*node.claim())
    await master.replies(0)

    left = {key.rpartition(":")[2] for key in cluster.own_keys() if ":told:" not in key}

    # The last: the batch's flow.
    assert left == {"beats", "nodes", "pulse", "progress", "wake", "counts", "{a}"}


async def test_all_keys_have_a_lifetime_the_prefix_and_one_hash_tag(cluster: QueueCluster) -> None:
    master, node = cluster.master(), cluster.node()
    await cluster.put(master, 3)
    await cluster.put(master, 3, WorkClass.INTERACTIVE)
    node.complete(*node.claim(1))
    await master.set_paused(True)

    keys = list(cluster.own_keys())

    prefix = cluster.settings.redis_key_prefix
    assert all(key.startswith(f"{prefix}:{{{prefix}}}:") for key in keys)
    assert [key for key in keys if cluster.redis.ttl(key) < 0] == []


async def test_states_tell_where_items_are(cluster: QueueCluster) -> None:
    master, node = cluster.master(), cluster.node()
    items = await cluster.put(master, 3)
    node.complete(*node.claim(1))
    node.claim(1)

    states = await master.states([*(item.work_id for item in items), "{other}:0-0"])

    assert list(states.values()) == [WorkState.GONE, WorkState.LEASED, WorkState.QUEUED, WorkState.GONE]


async def test_a_head_past_a_chunks_last_score_means_that_the_chunk_is_claimed(cluster: QueueCluster) -> None:
    master, node = cluster.master(), cluster.node()
    assert await master.head_score() is None
    first = await master.submit(cluster.items(master, 3))
    last = await master.submit(cluster.items(master, 3))

    heads = []
    while node.claim(1):
        heads.append(await master.head_score())

    assert heads[0] is not None
    assert heads[0] <= first
    assert heads[-2] == last
    assert heads[-1] is None


async def test_a_full_queue_takes_all_of_a_chunk_or_nothing(cluster: QueueCluster) -> None:
    master, node = cluster.master(max_queue_length=5), cluster.node()
    await cluster.put(master, 3)

    with pytest.raises(QueueFull, match="MAX_QUEUE_LENGTH=5"):
        await cluster.put(master, 3)
    assert await master.length() == 3
    await cluster.put(master, 2)
    assert len(node.claim()) == 5


async def test_what_is_leased_does_not_fill_the_queue(cluster: QueueCluster) -> None:
    master, node = cluster.master(max_queue_length=3), cluster.node()
    await cluster.put(master, 3)
    node.claim(2)

    await cluster.put(master, 2)

    assert await master.length() == 3


async def test_a_chunk_that_is_sent_again_is_not_there_twice(cluster: QueueCluster) -> None:
    """A master that lost its connection cannot know whether its chunk was taken."""
    master, node = cluster.master(max_queue_length=3), cluster.node()
    items = cluster.items(master, 3)
    first = await master.submit(items)
    claimed = node.claim(1)

    assert await master.submit(items) == first
    assert ids(claimed + node.claim()) == ["a0", "a1", "a2"]


async def test_cancelled_items_leave_the_queue(cluster: QueueCluster) -> None:
    master, node = cluster.master(), cluster.node()
    items = await cluster.put(master, 3)

    for _ in range(2):  # cancelling twice is as good as once
        await master.cancel([item.work_id for item in items[:2]])

    assert ids(node.claim()) == ["a2"]


async def test_a_node_learns_once_that_an_item_was_cancelled_and_its_answer_is_dropped(
    cluster: QueueCluster,
) -> None:
    master, node = cluster.master(), cluster.node()
    items = await cluster.put(master, 2)
    work = node.claim()

    await master.cancel([items[0].work_id])

    assert node.beat() == ["a0"]
    assert node.beat() == []
    node.complete(*work)
    assert [result.sub_id for result in await results(master)] == ["a1"]


async def test_items_given_back_wait_where_they_waited_and_were_not_attempted(cluster: QueueCluster) -> None:
    master, node = cluster.master(), cluster.node()
    await cluster.put(master, 4)
    node.queue.give_back(node.claim(2)[::-1])

    work = cluster.node().claim()

    assert ids(work) == ["a0", "a1", "a2", "a3"]
    assert {item.attempt for item in work} == {1}


async def test_what_was_given_back_cannot_be_answered_by_who_gave_it(cluster: QueueCluster) -> None:
    master, node = cluster.master(), cluster.node()
    await cluster.put(master, 1)
    work = node.claim()
    node.queue.give_back(work)

    node.complete(*work)

    assert await results(master) == []
    assert await master.length() == 1


async def test_work_wakes_one_sleeping_node_after_the_other(cluster: QueueCluster) -> None:
    """All of them sleep in one command each, and the first takes only what it can run."""
    master, nodes = cluster.master(), [cluster.node() for _ in range(3)]
    sleeping = [asyncio.create_task(asyncio.to_thread(node.claim, 1, 20.0)) for node in nodes]
    await asyncio.sleep(0.05)

    await cluster.put(master, 3)

    async with asyncio.timeout(10):
        claims = await asyncio.gather(*sleeping)
    assert sorted(name for claim in claims for name in ids(claim)) == ["a0", "a1", "a2"]


async def test_a_claim_without_work_ends_when_its_time_is_over(cluster: QueueCluster) -> None:
    node = cluster.node()
    started = time.monotonic()

    assert await asyncio.to_thread(node.claim, 1, 0.2) == []
    assert time.monotonic() - started >= 0.2


async def test_an_answer_wakes_its_master(cluster: QueueCluster) -> None:
    master, node = cluster.master(), cluster.node()
    await cluster.put(master, 1)
    waiting = asyncio.create_task(results(master, 20.0))
    await asyncio.sleep(0.05)

    node.complete(*node.claim())

    async with asyncio.timeout(10):
        assert [result.sub_id for result in await waiting] == ["a0"]


async def test_a_master_without_answers_gets_an_empty_list_when_its_time_is_over(
    cluster: QueueCluster,
) -> None:
    assert await cluster.master().replies(0.05) == []


async def test_the_cluster_view_counts_waiting_items_by_class_and_leased_ones(cluster: QueueCluster) -> None:
    master, node = cluster.master(), cluster.node()
    for size, work_class in enumerate(WorkClass, 1):
        await cluster.put(master, size, work_class)
    node.claim(1)

    view = await master.cluster()

    assert view.queued == {WorkClass.INTERACTIVE: 0, WorkClass.BATCH: 2, WorkClass.LONG_BATCH: 3}
    assert view.in_flight == 1
    assert [info.name for info in view.nodes] == ["node-1"]
    assert await master.length() == 5


async def test_a_pause_is_seen_by_all_masters(cluster: QueueCluster) -> None:
    one, two = cluster.master(), cluster.master()

    assert not await two.paused()
    await one.set_paused(True)
    await one.set_paused(True)
    assert await two.paused()
    await two.set_paused(False)
    assert not await one.paused()


async def test_a_node_hears_that_it_should_leave_and_its_successor_does_not(cluster: QueueCluster) -> None:
    master, leaving, staying = cluster.master(), cluster.node(), cluster.node()

    assert await master.drain(leaving.name)
    assert not await master.drain("nobody")
    leaving.beat()
    staying.beat()
    assert (leaving.queue.drain_asked, staying.queue.drain_asked) == (True, False)

    leaving.queue.deregister()
    leaving.beat()
    assert not leaving.queue.drain_asked


async def test_an_item_that_a_node_cannot_read_is_answered_as_our_failure(cluster: QueueCluster) -> None:
    """A newer master may send what an older node does not know."""
    master, node = cluster.master(), cluster.node()
    items = await cluster.put(master, 2)
    payloads = cluster.keys.named("payloads")
    stored = json.loads(cluster.redis.hget(payloads, items[0].work_id) or "")
    cluster.redis.hset(payloads, items[0].work_id, json.dumps({**stored, "work_class": "of-tomorrow"}))

    assert ids(node.claim()) == ["a1"]

    [result] = await results(master)
    assert (result.sub_id, result.verdict) == ("a0", Verdict.INTERNAL_ERROR)
    assert "one version" in result.stderr


async def test_two_queues_in_one_redis_do_not_meet(cluster: QueueCluster) -> None:
    stranger = cluster.master(redis_key_prefix=f"{cluster.settings.redis_key_prefix}-2")
    await cluster.put(stranger, 1)

    assert cluster.node().claim() == []
    assert await stranger.length() == 1
