"""How fast work moves from a caller to a node and back when the programs cost nothing.

A client (this process), one master process, one Redis server and one node on one machine: batches are
sent over HTTP, checked, queued, claimed under leases, answered and collected. Only the runs are missing.

    python benchmarks/control_plane.py --items 50000 --batch 1000 --callers 4

CPU time per item is what to compare between machines and days: on a busy machine items/s says more about
its other guests.
"""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass

import aiohttp
from pydantic_core import from_json, to_json

from benchmarks._common import Cell, Report, Spread, parser_for
from benchmarks._idle_cluster import IdleCluster

WARM_UP_ITEMS = 2_000
QUICK_ITEMS = 2_000


@dataclass(frozen=True, slots=True)
class Load:
    """What is moved."""

    items: int
    batch: int
    callers: int
    source_bytes: int


async def move(url: str, load: Load) -> int:
    """Send it all, ``callers`` batches at a time; how many right answers came."""
    batches = iter(range(0, load.items, load.batch))
    right = 0

    async def call(session: aiohttp.ClientSession) -> None:
        nonlocal right
        # Together the callers take each batch once: they share one iterator.
        for start in batches:
            async with session.post(url + "/run/long-batch", data=_batch(start, load)) as answer:
                document = from_json(await answer.read())
            right += sum(
                result["sub_id"] == f"item-{start + place}" and result["stdout"] == str(start + place)
                for place, result in enumerate(document["results"])
            )

    async with aiohttp.ClientSession() as session:
        await asyncio.gather(*(call(session) for _ in range(load.callers)))
    return right


def _batch(start: int, load: Load) -> bytes:
    source = "#" * load.source_bytes
    submissions = [
        {"sub_id": f"item-{number}", "type": "python", "solution": source, "input": str(number)}
        for number in range(start, start + load.batch)
    ]
    return to_json({"submissions": submissions})


@dataclass(frozen=True, slots=True)
class Round:
    """Figures of one round, per item where nothing else is said."""

    per_s: float
    cpu_us: dict[str, float]
    sent: float
    in_scripts: float
    connections: int
    wrong: int


def measure(cluster: IdleCluster, load: Load) -> Round:
    """Move it all once."""
    cluster.admin.config_resetstat()
    before, started = cluster.cpu_s(), time.perf_counter()
    right = asyncio.run(move(cluster.url, load))
    seconds, after = time.perf_counter() - started, cluster.cpu_s()
    sent, in_scripts = cluster.commands()
    return Round(
        per_s=right / seconds,
        cpu_us={role: (after[role] - before[role]) / load.items * 1e6 for role in after},
        sent=sent / load.items,
        in_scripts=in_scripts / load.items,
        connections=cluster.connections(),
        wrong=load.items - right,
    )


def row(rounds: Sequence[Round]) -> dict[str, Cell]:
    """All rounds as one row of the table."""
    cpu = {
        f"{role} µs": Spread.of([one.cpu_us[role] for one in rounds])
        for role in ("client", "master", "Redis", "node")
    }
    return {
        "items/s": Spread.of([one.per_s for one in rounds]),
        **cpu,
        "all µs": Spread.of([sum(one.cpu_us.values()) for one in rounds]),
        "commands sent": Spread.of([one.sent for one in rounds]),
        "inside scripts": Spread.of([one.in_scripts for one in rounds]),
        "connections": max(one.connections for one in rounds),
        "wrong": sum(one.wrong for one in rounds),
    }


def main() -> None:
    parser = parser_for(__doc__)
    parser.add_argument("--items", type=int, default=50_000)
    parser.add_argument("--batch", type=int, default=1000, help="submissions in one request")
    parser.add_argument("--callers", type=int, default=4, help="requests at a time")
    parser.add_argument("--source-bytes", type=int, default=200, help="size of each submission's source")
    parser.add_argument("--workers", type=int, default=64, help="threads of the node")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    items, rounds = (QUICK_ITEMS, 1) if given.quick else (given.items, given.rounds)
    load = Load(items // given.batch * given.batch, given.batch, given.callers, given.source_bytes)
    with IdleCluster(max_workers=given.workers) as cluster:
        measure(cluster, Load(WARM_UP_ITEMS, 1000, 2, given.source_bytes))
        measured = [measure(cluster, load) for _ in range(rounds)]
    Report("control_plane", [row(measured)], arguments=vars(given)).emit(given.json)


if __name__ == "__main__":
    main()
