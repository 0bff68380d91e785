"""Nodes die, stall and come back, connections break: every accepted item is answered, and once."""

import random
from typing import Any, cast

import pytest
from redis import Redis
from redis.exceptions import ConnectionError as RedisConnectionError

from code_judge.contract import Verdict
from code_judge.errors import QueueUnavailable
from code_judge.queue import WorkState
from tests.support.redis_queue import Node, QueueCluster, ids, results


async def test_a_dead_nodes_lease_goes_back_to_the_queue(cluster: QueueCluster) -> None:
    master, dead, alive = cluster.master(), cluster.node(), cluster.node()
    await cluster.put(master, 3)
    dead.claim(2)

    cluster.silence(dead)
    alive.beat()

    work = alive.claim()
    assert ids(work) == ["a0", "a1", "a2"]
    assert [item.attempt for item in work] == [2, 2, 1]
    assert [node.name for node in (await master.cluster()).nodes] == [alive.name]


async def test_nothing_goes_back_while_its_node_is_heard(cluster: QueueCluster) -> None:
    one, two = cluster.node(), cluster.node()
    await cluster.put(cluster.master(), 1)
    one.claim()

    for _ in range(3):
        one.beat()
        two.beat()

    assert two.claim() == []


@pytest.mark.parametrize(("missed", "back"), [(1.9, False), (2.1, True)])
async def test_a_lease_goes_back_within_three_heartbeats_of_its_nodes_last(
    cluster: QueueCluster, missed: float, back: bool
) -> None:
    """A node is dead after two intervals, and each of the others looks once per interval."""
    dead, alive = cluster.node(), cluster.node()
    await cluster.put(cluster.master(), 1)
    dead.claim()

    cluster.silence(dead, missed * cluster.settings.heartbeat_interval)
    alive.beat()

    assert bool(alive.claim()) is back


async def test_a_late_answer_of_a_node_that_was_given_up_is_dropped(cluster: QueueCluster) -> None:
    master, slow, other = cluster.master(), cluster.node(), cluster.node()
    # 1. A node takes an item and stalls.
    await cluster.put(master, 1)
    late = slow.claim()
    # 2. The others give it up, and one of them takes the item.
    cluster.silence(slow)
    other.beat()
    again = other.claim()
    # 3. The first one wakes up and answers, before the second has.
    slow.beat()
    slow.complete(*late)
    assert await results(master) == []
    # 4. The second answers. Result: one answer, the second node's.
    other.complete(*again)
    assert [(result.node, result.attempts) for result in await results(master)] == [(other.name, 2)]


async def test_a_late_answer_is_dropped_although_its_node_has_the_item_again(cluster: QueueCluster) -> None:
    master, slow, other = cluster.master(), cluster.node(), cluster.node()
    # 1. A node takes an item and stalls; the others give it up.
    await cluster.put(master, 1)
    first = slow.claim()
    cluster.silence(slow)
    other.beat()
    # 2. It is back and takes the same item anew, while its first run goes on.
    slow.beat()
    second = slow.claim()
    assert [item.attempt for item in second] == [2]
    # 3. Both runs end. Result: the lease is the second's, and so is the answer.
    slow.complete(*first)
    slow.complete(*second)
    assert [result.attempts for result in await results(master)] == [2]


async def test_an_item_that_was_cancelled_does_not_come_back_with_its_dead_node(
    cluster: QueueCluster,
) -> None:
    master, dead, alive = cluster.master(), cluster.node(), cluster.node()
    [item] = await cluster.put(master, 1)
    dead.claim()

    await master.cancel([item.work_id])
    cluster.silence(dead)
    alive.beat()

    assert alive.claim() == []


async def test_giving_back_does_not_count_as_an_attempt_even_after_a_loss(cluster: QueueCluster) -> None:
    master, dead, alive = cluster.master(), cluster.node(), cluster.node()
    await cluster.put(master, 1)
    dead.claim()
    cluster.silence(dead)
    alive.beat()

    for _ in range(5):
        alive.queue.give_back(alive.claim())

    assert [item.attempt for item in alive.claim()] == [2]


async def test_a_node_that_leaves_gives_back_what_it_still_has(cluster: QueueCluster) -> None:
    master, leaving, other = cluster.master(), cluster.node(), cluster.node()
    await cluster.put(master, 2)
    leaving.claim()

    leaving.queue.deregister()

    assert [node.name for node in (await master.cluster()).nodes] == [other.name]
    assert [item.attempt for item in other.claim()] == [1, 1]


async def test_an_item_that_took_three_nodes_down_is_answered_as_our_failure(cluster: QueueCluster) -> None:
    master, healthy = cluster.master(), cluster.node()
    await cluster.put(master, 1)
    for attempt in (1, 2, 3):
        victim = cluster.node()
        assert [item.attempt for item in victim.claim()] == [attempt]
        cluster.silence(victim)
        healthy.beat()

    [result] = await results(master)
    assert (result.sub_id, result.verdict, result.attempts) == ("a0", Verdict.INTERNAL_ERROR, 3)
    assert "every worker node" in result.stderr
    assert healthy.claim() == []
    healthy.beat()  # the dead node was kept until its item was answered
    assert len((await master.cluster()).nodes) == 1
    assert cluster.redis.exists(cluster.keys.named("losses"), cluster.keys.named("payloads")) == 0


async def test_a_node_that_fails_to_answer_a_condemned_item_leaves_it_to_the_next(
    cluster: QueueCluster,
) -> None:
    master, healthy = cluster.master(), cluster.node()
    clients: list[Redis] = []
    failing = cluster.node(lambda *args, **options: _remember(clients, cluster, args, options))
    await cluster.put(master, 1)
    await _lose_twice(cluster, healthy)
    # 1. The third node dies.
    victim = cluster.node()
    victim.claim()
    cluster.silence(victim)
    # 2. A node finds it, and then loses its connection (heartbeat, reap) before it can answer.
    _break_after_script(clients[1], 2)
    with pytest.raises(QueueUnavailable):
        failing.beat()
    assert await results(master) == []
    # 3. The next one answers. Result: one answer, also after both have looked again.
    for node in (healthy, failing, healthy):
        node.beat()
    assert [result.verdict for result in await results(master)] == [Verdict.INTERNAL_ERROR]


async def test_items_that_went_down_with_the_guilty_one_part_from_it_in_time(cluster: QueueCluster) -> None:
    """Before their last attempt, suspects go to different nodes: three crashes condemn one item, not all."""
    master, healthy = cluster.master(), cluster.node()
    # 1. Four items are lost together, twice.
    await cluster.put(master, 4)
    await _lose_twice(cluster, healthy)
    # 2. No node gets two of them now, not even in several claims.
    one, two = cluster.node(), cluster.node()
    first, second = one.claim(), two.claim()
    assert [ids(work) for work in (first, second, one.claim(), two.claim())] == [["a0"], ["a1"], [], []]
    # 3. One of them, the guilty one, takes its node down; the others are answered one after the other.
    cluster.silence(one)
    two.complete(*second)
    two.beat()
    while work := two.claim():
        two.complete(*work)
    # Result: one item is condemned.
    verdicts = {result.sub_id: result.verdict for result in await results(master)}
    assert verdicts == {
        "a0": Verdict.INTERNAL_ERROR,
        "a1": Verdict.RAN,
        "a2": Verdict.RAN,
        "a3": Verdict.RAN,
    }


async def test_a_suspect_waits_for_nobody_but_suspects(cluster: QueueCluster) -> None:
    """A node that has one keeps taking other work, and takes the next one as soon as it is done with it."""
    master, node = cluster.master(), cluster.node()
    await cluster.put(master, 2)
    await _lose_twice(cluster, node)
    await cluster.put(master, 2)

    first = node.claim()
    assert ids(first) == ["a0", "b0", "b1"]
    node.complete(first[0])
    assert ids(node.claim()) == ["a1"]


async def test_a_suspect_can_be_seen_cancelled_and_given_back(cluster: QueueCluster) -> None:
    master, node = cluster.master(), cluster.node()
    items = await cluster.put(master, 2)
    work_ids = [item.work_id for item in items]
    await _lose_twice(cluster, node)
    node.queue.give_back(node.claim())

    assert set((await master.states(work_ids)).values()) == {WorkState.QUEUED}
    assert await master.length() == sum((await master.cluster()).queued.values()) == 2
    await master.cancel(work_ids[:1])
    assert ids(node.claim()) == ["a1"]


async def _lose_twice(cluster: QueueCluster, healthy: Node) -> None:
    """Have two nodes die that hold all that waits."""
    for _ in range(2):
        victim = cluster.node()
        victim.claim()
        cluster.silence(victim)
        healthy.beat()


async def test_an_absence_of_redis_is_no_nodes_death(cluster: QueueCluster) -> None:
    """After it, whoever beats first must not take the others' items: they had no chance to."""
    one, two = cluster.node(), cluster.node()
    await cluster.put(cluster.master(), 1)
    one.claim()
    # 1. Nobody can beat for an hour. (Redis was away: its clock went on.)
    for name in ("beats", "pulse"):
        _age(cluster.redis, cluster.keys.named(name), 3600)
    # 2. One node is back before the other. Result: the other's item stays with it.
    two.beat()
    assert two.claim() == []
    # 3. So do clocks that were set back.
    for name in ("beats", "pulse"):
        _age(cluster.redis, cluster.keys.named(name), -7200)
    two.beat()
    assert two.claim() == []


def _age(redis: Redis, key: str, by_s: float) -> None:
    if redis.type(key) == b"zset":
        for member in cast("list[bytes]", redis.zrange(key, 0, -1)):
            redis.zincrby(key, -by_s, member)
    else:
        redis.hincrbyfloat(key, "latest", -by_s)
        redis.hincrbyfloat(key, "steady_since", -by_s)


async def test_what_a_broken_connection_claimed_goes_back_after_two_heartbeats(cluster: QueueCluster) -> None:
    """The node does not know of these items, yet it lives: nobody else would ever return them."""
    master, other = cluster.master(), cluster.node()
    clients: list[Redis] = []
    node = cluster.node(lambda *args, **options: _remember(clients, cluster, args, options))
    await cluster.put(master, 4)
    # 1. One claim goes well, and its work stays in hand.
    kept = node.claim(1)
    # 2. The next is done by Redis, but its answer is lost.
    _break_after_script(clients[0])
    with pytest.raises(QueueUnavailable):
        node.claim(2)
    assert ids(other.claim()) == ["a3"]
    # 3. One heartbeat does not tell a lost answer from one that is on its way.
    node.beat()
    assert other.claim() == []
    # 4. Two do. Result: the lost items are back, and the kept one is still the node's.
    node.beat()
    assert ids(other.claim()) == ["a1", "a2"]
    node.complete(*kept)
    assert [result.sub_id for result in await results(master)] == ["a0"]


def _remember(clients: list[Redis], cluster: QueueCluster, args: Any, options: Any) -> Redis:
    clients.append(cluster.open_client(*args, **options))
    return clients[-1]


def _break_after_script(client: Redis, number: int = 1) -> None:
    """Cut the connection after Redis has run so many more scripts, before the last one's answer arrives."""
    evalsha, left = client.evalsha, iter(range(number - 1, -1, -1))

    def run_and_break(*args: Any) -> Any:
        answer = evalsha(*args)
        if next(left) == 0:
            client.evalsha = evalsha  # type: ignore[method-assign]
            raise RedisConnectionError("cut")
        return answer

    client.evalsha = run_and_break  # type: ignore[method-assign,assignment]


async def test_scripts_are_loaded_again_after_a_restart(cluster: QueueCluster) -> None:
    master, node = cluster.master(), cluster.node()
    await cluster.put(master, 1)
    cluster.redis.script_flush()

    await cluster.put(master, 1)
    cluster.redis.script_flush()
    work = node.claim()
    cluster.redis.script_flush()
    node.complete(*work)

    assert len(await results(master)) == 2


@pytest.mark.parametrize("seed", range(3))
async def test_whatever_happens_every_item_is_answered_exactly_once(cluster: QueueCluster, seed: int) -> None:
    """Random nodes claim, answer (also twice and late), give back, die and come back."""
    chance = random.Random(seed)
    master = cluster.master(max_attempts=1000)
    nodes = [cluster.node(max_attempts=1000) for _ in range(3)]
    in_hand: list[tuple[Node, Any]] = []
    await cluster.put(master, 40)
    answered: list[str] = []
    for _ in range(80):
        node = chance.choice(nodes)
        match chance.choice(("claim", "claim", "complete", "give back", "die")):
            case "claim":
                in_hand += [(node, work) for work in node.claim(chance.randint(1, 8))]
            case "complete":
                for holder, work in chance.sample(in_hand, len(in_hand) // 2):
                    holder.complete(work)
            case "give back":
                node.queue.give_back([work for holder, work in in_hand if holder is node][:2])
            case "die":
                cluster.silence(node)
                nodes[nodes.index(node) - 1].beat()
                node.beat()
        answered += [str(result.sub_id) for result in await results(master)]

    while work := nodes[0].claim():
        nodes[0].complete(*work)
    for node in nodes[1:]:
        cluster.silence(node)
    nodes[0].beat()
    while work := nodes[0].claim():
        nodes[0].complete(*work)
    for holder, item in in_hand:
        holder.complete(item)
    answered += [str(result.sub_id) for result in await results(master)]

    assert sorted(answered) == sorted(f"a{i}" for i in range(40))
