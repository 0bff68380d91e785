"""What masters and nodes count adds up in Redis, once each, over ended processes and broken connections."""

import json

import pytest

from code_judge.contract import LanguageInfo
from code_judge.metrics import Counts, families
from code_judge.metrics.tally import SUM
from code_judge.queue import WorkClass
from code_judge.queue.redis_master_queue import RedisMasterQueue
from tests.support.redis_queue import Node, QueueCluster, info

PYTHON = LanguageInfo(name="python", version="3")


def beat(node: Node) -> None:
    """A heartbeat of a node that offers Python."""
    node.queue.heartbeat(info(node.name, languages=[PYTHON]))


async def counts(master: RedisMasterQueue) -> Counts:
    await master.tell_tally()
    return await master.counts()


async def test_masters_and_nodes_add_up(cluster: QueueCluster) -> None:
    first, second, node = cluster.master(), cluster.master(), cluster.node()
    await cluster.put(first, 2)
    await cluster.put(second, 3)
    beat(node)
    node.complete(*node.claim())
    beat(node)
    await first.tell_tally()

    told = await counts(second)

    assert told[families.SUBMISSIONS.name, "long_batch"] == 5
    assert told[families.CLAIMS.name,] == 5
    assert told[families.RESULTS.name, "ran", "python"] == 5
    assert told[families.QUEUE_SECONDS.name, "long_batch", SUM] >= 0


async def test_what_a_process_told_outlives_it_and_its_successor_adds_to_it(cluster: QueueCluster) -> None:
    for _ in range(2):
        master = cluster.master()
        await cluster.put(master, 2)
        await master.tell_tally()

    assert (await counts(cluster.master()))[families.SUBMISSIONS.name, "long_batch"] == 4


async def test_a_packet_that_comes_twice_counts_once(cluster: QueueCluster) -> None:
    master = cluster.master()
    await cluster.put(master, 2)
    packet = master.tally.packet()
    assert packet
    await master.tell_tally()
    # As if the answer to the first had been lost: the same packet once more.
    master.tally._packet = packet
    await master.tell_tally()

    assert (await counts(master))[families.SUBMISSIONS.name, "long_batch"] == 2


async def test_a_node_that_leaves_has_told_everything(cluster: QueueCluster) -> None:
    master, node = cluster.master(), cluster.node()
    await cluster.put(master, 1)
    node.complete(*node.claim())

    node.queue.deregister()

    assert (await counts(master))[families.CLAIMS.name,] == 1


async def test_a_lost_node_is_counted_with_its_leases_and_their_redelivery(cluster: QueueCluster) -> None:
    master, dead, alive = cluster.master(), cluster.node(), cluster.node()
    await cluster.put(master, 3)
    dead.claim(2)
    cluster.silence(dead)
    beat(alive)
    alive.claim()
    beat(alive)

    told = await counts(master)

    assert told[families.NODES_LOST.name,] == 1
    assert told[families.LEASE_EXPIRIES.name,] == 2
    assert told[families.REDELIVERIES.name,] == 2


async def test_a_language_that_the_node_does_not_offer_is_not_a_label(cluster: QueueCluster) -> None:
    master, node = cluster.master(), cluster.node()  # this one offers nothing
    await cluster.put(master, 1)
    node.complete(*node.claim())
    node.beat()

    told = await counts(master)

    assert told[families.RESULTS.name, "ran", families.UNKNOWN_LANGUAGE] == 1


async def test_the_oldest_waiting_item_of_each_class_is_known(cluster: QueueCluster) -> None:
    master = cluster.master()
    old = await cluster.put(master, 20)
    await cluster.put(master, 1, WorkClass.BATCH)
    _age(cluster, old[0].work_id, by_s=100)

    waits = await master.oldest_waits()

    assert waits[WorkClass.LONG_BATCH] == pytest.approx(100, abs=60)
    assert 0 < waits[WorkClass.BATCH] < 60
    assert waits[WorkClass.INTERACTIVE] == 0


def _age(cluster: QueueCluster, work_id: str, by_s: float) -> None:
    """Have an item wait for longer than it has."""
    payloads = cluster.keys.named("payloads")
    payload = json.loads(cluster.redis.hget(payloads, work_id))
    payload["timestamp"] -= by_s
    cluster.redis.hset(payloads, work_id, json.dumps(payload, separators=(",", ":")))
