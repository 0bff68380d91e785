"""How fast work moves through the queue when the programs cost nothing.

One master process (this one), one node process and one Redis server on one machine: items are submitted,
claimed under leases, completed and collected. Nothing is run and there is no HTTP.

    python benchmarks/control_plane.py --items 50000 --batch 1000 --claim 32

CPU time per item is what to compare between machines and days: on a busy machine items/s says more about
its other guests.
"""

import argparse
import asyncio
import multiprocessing
import os
import resource
import time
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.synchronize import Event

from redis import Redis

from code_judge.contract import NodeInfo, Result, Submission, Verdict
from code_judge.queue import ClaimedWork, WorkClass, WorkPayload
from code_judge.queue.redis_master_queue import RedisMasterQueue
from code_judge.queue.redis_node_queue import RedisNodeQueue
from code_judge.settings import Settings
from code_judge_cli.embedded_redis import EmbeddedRedis

ASKED = ("evalsha", "lpop", "blpop")
"""The commands that masters and nodes send. All others are calls that scripts make inside Redis."""


@dataclass(frozen=True, slots=True)
class Load:
    """What is moved."""

    items: int
    batch: int
    claim: int
    source_bytes: int


def node(settings: Settings, claim: int, stop: Event) -> None:
    """A node that answers at once whatever it gets; heartbeats once per second."""
    queue = RedisNodeQueue(settings, "node")
    info = NodeInfo(name="node", host="", pid=os.getpid(), version="0", started_at=0.0, slots=claim)
    next_beat = 0.0
    while not stop.is_set():
        if time.monotonic() >= next_beat:
            queue.heartbeat(info)
            next_beat = time.monotonic() + settings.heartbeat_interval
        queue.complete([(work, _result(work)) for work in queue.claim(claim, 0.1)])
    queue.deregister()
    queue.close()


def _result(work: ClaimedWork) -> Result:
    return Result.of(
        work.payload.submission.sub_id or "",
        Verdict.RAN,
        stdout="1\n",
        node="node",
        attempts=work.attempt,
        queue_time=work.queue_time_s,
    )


async def move(queue: RedisMasterQueue, load: Load) -> None:
    """Submit everything batch by batch, and collect until all is answered."""
    missing = {f"{{{start}}}:0-{i}" for start in range(0, load.items, load.batch) for i in range(load.batch)}

    async def collect() -> None:
        while missing:
            missing.difference_update(reply.work_id for reply in await queue.replies(5.0))

    collecting = asyncio.create_task(collect())
    for start in range(0, load.items, load.batch):
        await queue.submit(_batch(queue.master_id, start, load))
    await collecting


def _batch(master_id: str, start: int, load: Load) -> Sequence[WorkPayload]:
    submission = Submission(sub_id="item", type="python", solution="#" * load.source_bytes, input="1")
    return [
        WorkPayload(
            work_id=f"{{{start}}}:0-{i}",
            timestamp=0.0,
            work_class=WorkClass.LONG_BATCH,
            long_running=True,
            max_wait_s=600.0,
            reply_to=master_id,
            submission=submission,
        )
        for i in range(load.batch)
    ]


def measure(settings: Settings, load: Load) -> None:
    """One run; prints its figures."""
    context = multiprocessing.get_context("spawn")
    stop = context.Event()
    process = context.Process(target=node, args=(settings, load.claim, stop))
    process.start()
    with Redis.from_url(settings.redis_uri) as admin:
        while not admin.exists(f"{settings.redis_key_prefix}:{{{settings.redis_key_prefix}}}:beats"):
            time.sleep(0.01)
        admin.config_resetstat()
        redis_cpu = _redis_cpu_s(admin)
        started, cpu = time.perf_counter(), time.process_time()
        connections = asyncio.run(_move_counted(settings, load, admin))
        wall, cpu = time.perf_counter() - started, time.process_time() - cpu
        redis_cpu = _redis_cpu_s(admin) - redis_cpu
        calls = {name[8:]: stats["calls"] for name, stats in admin.info("commandstats").items()}
    stop.set()
    process.join(30)
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    asked = sum(calls.get(name, 0) for name in ASKED)
    per_item = 1e6 / load.items
    print(
        f"batches of {load.batch:>5}, claims of {load.claim:>3}: {load.items / wall:>7,.0f} items/s; "
        f"CPU per item: master {cpu * per_item:.0f} µs, Redis {redis_cpu * per_item:.0f} µs, "
        f"node {(spent.ru_utime + spent.ru_stime) * per_item:.0f} µs (with its start); "
        f"commands per item: {asked / load.items:.3f} sent, "
        f"{(sum(calls.values()) - asked) / load.items:.1f} inside scripts; connections: {connections}"
    )


async def _move_counted(settings: Settings, load: Load, admin: Redis) -> int:
    """Move everything; how many connections that took, the counting one left out."""
    queue = RedisMasterQueue(settings)
    await move(queue, load)
    connections = len(admin.client_list()) - 1
    await queue.close()
    return connections


def _redis_cpu_s(admin: Redis) -> float:
    cpu = admin.info("cpu")
    return float(cpu["used_cpu_sys"]) + float(cpu["used_cpu_user"])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--items", type=int, default=50_000)
    parser.add_argument("--batch", type=int, default=1000, help="items in one submit")
    parser.add_argument("--claim", type=int, default=32, help="items in one claim")
    parser.add_argument("--source-bytes", type=int, default=200, help="size of each submission's source")
    given = parser.parse_args()
    load = Load(given.items // given.batch * given.batch, given.batch, given.claim, given.source_bytes)
    with EmbeddedRedis() as redis:
        measure(Settings(redis_uri=redis.uri), load)


if __name__ == "__main__":
    main()
