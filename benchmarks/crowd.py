"""Many callers with one large batch each, and what a single ``/run`` notices of them.

First a ``/run`` every second on an idle cluster; then 64 callers send 45,000 submissions at once, and the
``/run``s go on until all are answered. Programs do nothing but take their time, so that what is seen is
the judge and not the machine's cores.

    python benchmarks/crowd.py --items 45000 --callers 64
"""

import asyncio
import itertools
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import aiohttp
from pydantic_core import from_json, to_json

from benchmarks._common import Cell, Report, parser_for, percentile
from benchmarks._idle_cluster import IdleCluster
from benchmarks._server import CALL_TIMEOUT_S, Server

QUICK_ITEMS = 2_000
QUICK_IDLE_CALLS = 3


@dataclass(frozen=True, slots=True)
class Crowd:
    """Who comes."""

    items: int
    callers: int
    run_s: float
    """Seconds that each program takes."""
    every_s: float
    """Seconds between two ``/run`` calls."""
    idle_calls: int
    """How many of them before the crowd comes."""

    def bodies(self) -> Iterator[bytes]:
        """The request of each caller."""
        numbers = iter(range(self.items))
        for caller in range(self.callers):
            share = self.items // self.callers + (caller < self.items % self.callers)
            batch = [program(number, self.run_s) for number in itertools.islice(numbers, share)]
            yield to_json({"submissions": batch})


def program(number: int, run_s: float) -> Mapping[str, Any]:
    """A submission that prints its own number, with a source of a usual length."""
    options = {"seconds": run_s} if run_s else None
    return {"type": "python", "solution": "#" * 500, "input": str(number), "options": options}


async def call_until(server: Server, every_s: float, done: asyncio.Event) -> list[float]:
    """``/run`` after ``/run``, each begun ``every_s`` after the one before; seconds that each took."""
    seconds = []
    while not done.is_set():
        call = await server.run(program(0, 0.0))
        if call.answer.get("stdout") != "0":
            raise AssertionError(f"a single run was answered {call.answer}")
        seconds.append(call.seconds)
        try:
            await asyncio.wait_for(done.wait(), max(0.0, every_s - call.seconds))
        except TimeoutError:
            pass
    return seconds


async def meet(server: Server, crowd: Crowd) -> tuple[list[bytes], float, list[float]]:
    """The crowd's answers, how long they took, and what the single runs took meanwhile.

    What the crowd says is written before and read afterwards: it would hold this process up.
    """
    bodies = list(crowd.bodies())
    done = asyncio.Event()
    calls = asyncio.create_task(call_until(server, crowd.every_s, done))
    connector, timeout = aiohttp.TCPConnector(limit=0), aiohttp.ClientTimeout(total=CALL_TIMEOUT_S)
    async with aiohttp.ClientSession(connector=connector, timeout=timeout) as session:

        async def call(body: bytes) -> bytes:
            async with session.post(server.url + "/run/long-batch", data=body) as answer:
                return await answer.read()

        started = time.perf_counter()
        answers = await asyncio.gather(*map(call, bodies))
        seconds = time.perf_counter() - started
    done.set()
    return answers, seconds, await calls


async def idle(server: Server, crowd: Crowd) -> list[float]:
    """What single runs take when nobody else is there."""
    done = asyncio.Event()
    asyncio.get_running_loop().call_later((crowd.idle_calls - 0.5) * crowd.every_s, done.set)
    return await call_until(server, crowd.every_s, done)


def right(answers: Sequence[bytes]) -> int:
    """How many results are those of their own submission, in their places."""
    results = itertools.chain.from_iterable(from_json(answer)["results"] for answer in answers)
    return sum(result["stdout"] == str(number) for number, result in enumerate(results))


def row(name: str, latency_s: Sequence[float], memory_mb: float, **more: Cell) -> dict[str, Cell]:
    """A row of the table."""
    ms = [1000 * seconds for seconds in latency_s]
    return {
        "cluster": name,
        "/run calls": len(ms),
        "p50 ms": percentile(ms, 50),
        "p95 ms": percentile(ms, 95),
        "most ms": max(ms),
        "master MB": memory_mb,
        **more,
    }


async def measure(cluster: IdleCluster, crowd: Crowd) -> list[dict[str, Cell]]:
    """Both states of the cluster."""
    async with Server(cluster.url) as server:
        await server.run_batch([program(number, 0.0) for number in range(1000)])
        before = await idle(server, crowd)
        empty_mb, _ = cluster.master_mb()
        answers, seconds, during = await meet(server, crowd)
        _, peak_mb = cluster.master_mb()
    first = row("idle", before, empty_mb)
    grown = (peak_mb - empty_mb) * 1000 / crowd.items
    more: dict[str, Cell] = {
        "KB per submission": grown,
        "right": right(answers),
        "of": crowd.items,
        "seconds": seconds,
    }
    return [first | dict.fromkeys(more), row("crowded", during, peak_mb, **more)]


def main() -> None:
    parser = parser_for(__doc__)
    parser.add_argument("--items", type=int, default=45_000)
    parser.add_argument("--callers", type=int, default=64)
    parser.add_argument("--run-s", type=float, default=0.1, help="seconds that each program takes")
    parser.add_argument("--every", type=float, default=1.0, help="seconds between two /run calls")
    parser.add_argument("--idle-calls", type=int, default=60)
    parser.add_argument("--workers", type=int, default=64, help="threads of the node")
    given = parser.parse_args()
    items, idle_calls = (QUICK_ITEMS, QUICK_IDLE_CALLS) if given.quick else (given.items, given.idle_calls)
    crowd = Crowd(items, given.callers, given.run_s, given.every, idle_calls)
    with IdleCluster(max_workers=given.workers) as cluster:
        rows = asyncio.run(measure(cluster, crowd))
    Report("crowd", rows, arguments=vars(given)).emit(given.json)


if __name__ == "__main__":
    main()
