"""Who goes first, and that nobody waits for ever. See docs/decisions/0002-queue.md for the rules.

Order is counted in items handed out, not in seconds: so nothing here depends on a clock.
"""

from collections import Counter

from code_judge.queue import WorkClass
from tests.support.redis_queue import Node, QueueCluster, ids

INTERACTIVE, BATCH, LONG = WorkClass


def drain(node: Node, one_by_one: bool = True) -> list[str]:
    """Claim all there is; the items in their order."""
    names: list[str] = []
    while work := node.claim(1 if one_by_one else 1000):
        names += ids(work)
    return names


async def test_interactive_work_goes_before_batches_and_these_before_long_batches(
    cluster: QueueCluster,
) -> None:
    master = cluster.master()
    await cluster.put(master, 2, LONG)
    await cluster.put(master, 2, BATCH)
    await cluster.put(master, 2, INTERACTIVE)

    assert drain(cluster.node()) == ["c0", "c1", "b0", "b1", "a0", "a1"]


async def test_one_claim_of_many_takes_them_in_the_same_order(cluster: QueueCluster) -> None:
    master = cluster.master()
    await cluster.put(master, 2, LONG)
    await cluster.put(master, 2, BATCH)
    await cluster.put(master, 2, INTERACTIVE)

    assert drain(cluster.node(), one_by_one=False) == ["c0", "c1", "b0", "b1", "a0", "a1"]


async def test_a_single_run_goes_first_however_long_the_long_batch_ahead_of_it(cluster: QueueCluster) -> None:
    """At most one item of each lesser class can have its turn just then."""
    master, node = cluster.master(), cluster.node()
    await cluster.put(master, 3000, LONG)

    for _ in range(20):
        node.claim(7)
        [run] = await cluster.put(master, 1, INTERACTIVE)
        assert run.work_id.split(":")[1] in ids(node.claim(2))


async def test_two_long_batches_progress_side_by_side(cluster: QueueCluster) -> None:
    master = cluster.master()
    await cluster.put(master, 50)
    await cluster.put(master, 50)

    order = drain(cluster.node())

    assert all(
        set(pair) == {f"a{i}", f"b{i}"} for i, pair in enumerate(zip(order[::2], order[1::2], strict=True))
    )


async def test_a_batch_that_comes_later_does_not_wait_for_the_ones_before_it(cluster: QueueCluster) -> None:
    master, node = cluster.master(), cluster.node()
    await cluster.put(master, 100)
    node.claim(40)
    await cluster.put(master, 10)

    order = drain(node)

    assert {name for name in order[:20] if name.startswith("b")} == {f"b{i}" for i in range(10)}


async def test_chunks_of_one_batch_line_up_behind_each_other(cluster: QueueCluster) -> None:
    """A batch cut into many chunks gets no more turns than one cut into few."""
    master = cluster.master()
    whole, cut = cluster.items(master, 40), cluster.items(master, 40)
    await master.submit(whole)
    for start in range(0, 40, 2):
        await master.submit(cut[start : start + 2])

    order = drain(cluster.node())

    assert Counter(name[0] for name in order[:40]) == {"a": 20, "b": 20}
    assert [name for name in order if name.startswith("b")] == [f"b{i}" for i in range(40)]


async def test_many_small_batches_do_not_starve_a_large_one(cluster: QueueCluster) -> None:
    """New batches start at the turn that is on now, so that the large one keeps its share."""
    master, node = cluster.master(), cluster.node()
    await cluster.put(master, 10)
    taken: Counter[str] = Counter()
    for _ in range(100):
        for item in await cluster.put(master, 2):  # as fast as they are handed out
            taken[item.work_id.split(":")[1]] = 0
        for name in ids(node.claim(2)):
            taken[name] += 1
        if sum(taken[f"a{i}"] for i in range(10)) == 10:
            return
    raise AssertionError(f"after 200 items, of the large batch only {taken} was handed out")


async def test_a_flood_of_interactive_work_leaves_every_64th_turn_to_long_batches(
    cluster: QueueCluster,
) -> None:
    master, node = cluster.master(), cluster.node()
    await cluster.put(master, 10, LONG)
    await cluster.put(master, 400, INTERACTIVE)

    claims = [ids(node.claim(32)) for _ in range(10)]

    assert [sum(name.startswith("a") for name in claim) for claim in claims] == [0, 1] * 5


async def test_a_flood_of_interactive_work_leaves_every_8th_turn_to_batches(cluster: QueueCluster) -> None:
    master, node = cluster.master(), cluster.node()
    await cluster.put(master, 100, BATCH)
    await cluster.put(master, 100, INTERACTIVE)

    order = drain(node)[:63]

    assert [place for place, name in enumerate(order, 1) if name.startswith("a")] == list(range(8, 64, 8))


async def test_turns_are_counted_over_all_nodes_and_claims(cluster: QueueCluster) -> None:
    master, nodes = cluster.master(), [cluster.node() for _ in range(3)]
    await cluster.put(master, 5, LONG)
    await cluster.put(master, 400, INTERACTIVE)

    order = [name for i in range(16) for name in ids(nodes[i % 3].claim(20))]

    assert len([name for name in order if name.startswith("a")]) == 320 // 64
