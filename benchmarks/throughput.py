"""Runs per second and latency of a server that speaks the HTTP interface, beside a peer's in the same run.

    python benchmarks/throughput.py --url http://A:8088 --peer-url http://B:8088

Server and peer take turns in every round, so that what else the machine does meets both. Without ``--url`` a
judge is started on this machine for the while.
"""

import argparse
import asyncio
import os
import secrets
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass, field

from benchmarks._common import Cell, Report, Spread, parser_for, percentile, ratio, temporary_judge
from benchmarks._server import Call, Server, Throughput
from benchmarks._workloads import WORKLOADS, Workload
from benchmarks.floor import SOURCES, fork_floor

QUICK_RUNS = 8
QUICK_CALLS = 3


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is measured, per workload, server and round."""

    rounds: int
    runs: int | None
    """Submissions in batches; None for each workload's own number."""
    calls: int
    """Single ``/run`` calls, one after the other."""
    batch: int
    callers: int
    seconds: float
    """After this long no new batch is sent and no new call made."""
    floor: bool
    """Whether the bare fork floor takes its turn, too."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What one server did with one workload, round by round."""

    name: str
    floor: list[float] = field(default_factory=list)
    """Runs per second of bare forks in the same rounds, where there are any."""
    batches: list[Throughput] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)

    @property
    def rates(self) -> list[float]:
        return [stretch.runs_per_s for stretch in self.batches]

    @property
    def median_call_s(self) -> float:
        return percentile([call.seconds for call in self.calls], 50)

    def row(self, workload: str, peer: "Measured | None") -> dict[str, Cell]:
        """One row of the table; with a peer also the ratios to it."""
        latency_ms = [1000 * call.seconds for call in self.calls]
        answers = [*(call.answer for call in self.calls), *(a for b in self.batches for a in b.answers)]
        return {
            "program": workload,
            "server": self.name,
            "runs/s": Spread.of(self.rates),
            "ratio": ratio(self.rates, peer.rates) if peer else None,
            "of the floor": ratio(self.rates, self.floor) if self.floor else None,
            "p50 ms": percentile(latency_ms, 50),
            "p95 ms": percentile(latency_ms, 95),
            "p99 ms": percentile(latency_ms, 99),
            "p50 beside the run, ms": percentile([1000 * call.overhead_s for call in self.calls], 50),
            "p50 ratio": self.median_call_s / peer.median_call_s if peer else None,
            "wrong": sum(not answer["success"] for answer in answers),
            "of": len(answers),
        }


async def measure(servers: dict[str, Server], workload: Workload, plan: Plan) -> list[Measured]:
    """All rounds of one workload, the servers taking turns."""
    results = {name: Measured(name) for name in servers}
    for number in range(plan.rounds):
        mark = secrets.token_hex(4)
        if plan.floor and workload.name in SOURCES:
            rate = fork_floor(SOURCES[workload.name], plan.runs or workload.count)
            for measured in results.values():
                measured.floor.append(rate)
        order = list(servers) if number % 2 == 0 else list(reversed(servers))
        for name in order:
            await _measure_once(servers[name], workload, mark, plan, results[name])
    return list(results.values())


async def _measure_once(
    server: Server, workload: Workload, mark: str, plan: Plan, measured: Measured
) -> None:
    # Untimed, with sources of its own: connections and caches that any long-lived server would have.
    await server.run_batch(workload.round(f"{mark} warm", 2))
    batch = workload.round(mark, plan.runs or workload.count)
    measured.batches.append(await server.run_batches(batch, plan.batch, plan.callers, plan.seconds))
    spent_s = 0.0
    for submission in workload.round(f"{mark} single", plan.calls):
        measured.calls.append(await server.run(submission))
        spent_s += measured.calls[-1].seconds
        if spent_s > plan.seconds:
            break


async def compare(
    url: str, api_key: str | None, peer_url: str | None, names: list[str], plan: Plan
) -> list[dict[str, Cell]]:
    """The rows of all workloads, the peer's under the server's own."""
    async with AsyncExitStack() as stack:
        servers = {"server": await stack.enter_async_context(Server(url, api_key))}
        if peer_url:
            servers["peer"] = await stack.enter_async_context(Server(peer_url))
        rows: list[dict[str, Cell]] = []
        for name in names:
            ours, *peers = await measure(servers, WORKLOADS[name], plan)
            rows.append(ours.row(name, peers[0] if peers else None))
            rows.extend(peer.row(name, None) for peer in peers)
        return rows


def arguments() -> argparse.Namespace:
    parser = parser_for(__doc__)
    parser.add_argument("--url", help="the server; without: a judge is started here. $API_KEY is sent to it")
    parser.add_argument("--peer-url", help="another server, measured in turns with the first")
    parser.add_argument("--workload", nargs="+", choices=WORKLOADS, default=list(WORKLOADS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--runs", type=int, help="submissions per round (default: the workload's own)")
    parser.add_argument("--calls", type=int, default=50, help="single calls per round")
    parser.add_argument("--batch", type=int, default=32, help="submissions in one request")
    parser.add_argument("--callers", type=int, default=4, help="batches under way at once")
    parser.add_argument("--seconds", type=float, default=60, help="nothing new in a round after this")
    parser.add_argument(
        "--floor", action="store_true", help="compare with bare forks; server on this machine"
    )
    return parser.parse_args()


def plan_of(given: argparse.Namespace) -> Plan:
    rounds, runs, calls = (
        (1, QUICK_RUNS, QUICK_CALLS) if given.quick else (given.rounds, given.runs, given.calls)
    )
    return Plan(rounds, runs, calls, given.batch, given.callers, given.seconds, given.floor)


def main() -> None:
    given = arguments()
    with ExitStack() as stack:
        url, api_key = given.url, os.environ.get("API_KEY")
        if not url:
            judge = stack.enter_context(temporary_judge())
            url, api_key = judge.url, judge.api_key
        rows = asyncio.run(compare(url, api_key, given.peer_url, given.workload, plan_of(given)))
    Report("throughput", rows, vars(given)).emit(given.json)


if __name__ == "__main__":
    main()
