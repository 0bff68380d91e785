"""What a call through PythonTool costs beside the same programs in bare, batched requests.

    python benchmarks/tool_calls.py

Tool and bare requests take turns in every round: all calls at once, as a trainer's agent loops do it, with
as many batches of the same size under way on either side; then one call after the other. Without ``--url``
a judge is started on this machine for the while.
"""

import argparse
import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from benchmarks._common import Cell, Report, Spread, parser_for, percentile, temporary_judge
from benchmarks._server import Server
from code_judge_client.verl import PythonTool

PROGRAM = "print(input())"
MS = 1000

Call = Callable[[Sequence[int]], Awaitable[int]]
"""Has the program judged with each of these inputs; how many were answered with their own."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """One side's turn."""

    right: int
    latencies_s: Sequence[float]
    """Of each call: from the moment at which its caller wanted the answer to the moment at which it came."""
    seconds: float
    cpu_s: float
    """CPU time of this process, in which the client is but not the judge."""

    @property
    def calls(self) -> int:
        return len(self.latencies_s)

    @property
    def median_ms(self) -> float:
        return MS * percentile(self.latencies_s, 50)


@dataclass(frozen=True, slots=True)
class Side:
    """All turns of the tool, or of bare requests."""

    name: str
    stretches: list[Stretch] = field(default_factory=list)

    def row(self, calls: str, bare: "Side | None" = None) -> dict[str, Cell]:
        """One row of the table; ``bare`` is what this side is compared with, round by round."""
        pairs = list(zip(self.stretches, bare.stretches, strict=True)) if bare else []
        return {
            "calls": calls,
            "through": self.name,
            "calls/s": _spread(it.right / it.seconds for it in self.stretches),
            "p50 ms": _spread(it.median_ms for it in self.stretches),
            "p95 ms": _spread(MS * percentile(it.latencies_s, 95) for it in self.stretches),
            "added p50 ms": _spread(tool.median_ms - http.median_ms for tool, http in pairs),
            "added ms per call": _spread(
                MS * (tool.seconds / tool.calls - http.seconds / http.calls) for tool, http in pairs
            ),
            "client's CPU ms per call": _spread(MS * it.cpu_s / it.calls for it in self.stretches),
            "wrong": sum(it.calls - it.right for it in self.stretches),
            "of": sum(it.calls for it in self.stretches),
        }


def _spread(values: Iterable[float]) -> Spread | None:
    found = list(values)
    return Spread.of(found) if found else None


async def stretch_of(call: Call, inputs: Sequence[int], size: int, at_once: int) -> Stretch:
    """All inputs in groups of ``size``, ``at_once`` of them side by side.

    Where there are several at once, all callers are there from the beginning, and some have to wait.
    """
    groups = iter([inputs[at : at + size] for at in range(0, len(inputs), size)])
    right, latencies_s = 0, list[float]()
    started, cpu_started = time.perf_counter(), time.process_time()

    async def work() -> None:
        nonlocal right
        for group in groups:
            wanted = time.perf_counter() if at_once == 1 else started
            found = await call(group)
            right += found
            latencies_s.extend([time.perf_counter() - wanted] * len(group))

    await asyncio.gather(*(work() for _ in range(at_once)))
    return Stretch(right, latencies_s, time.perf_counter() - started, time.process_time() - cpu_started)


def by_tool(tool: PythonTool) -> Call:
    """Each call as an agent loop makes it."""

    async def one(number: int) -> bool:
        instance_id, _ = await tool.create()
        answer, _, _ = await tool.execute(instance_id, {"code": PROGRAM, "input": str(number)})
        await tool.release(instance_id)
        return f"\nstdout: {number}\n" in (answer.text or "")

    async def call(inputs: Sequence[int]) -> int:
        return sum([await one(number) for number in inputs])

    return call


def by_request(server: Server) -> Call:
    """A group as one ``/run/long-batch``."""

    async def call(inputs: Sequence[int]) -> int:
        answers = await server.run_batch(
            [{"type": "python", "solution": PROGRAM, "input": str(number)} for number in inputs]
        )
        pairs = zip(answers, inputs, strict=True)
        return sum(str(answer.get("stdout", "")).strip() == str(number) for answer, number in pairs)

    return call


async def compare(url: str, api_key: str | None, given: argparse.Namespace) -> list[dict[str, Cell]]:
    """The rows of both ways to call, bare requests first."""
    judge = urlsplit(url)
    config = {
        "host_addr": judge.hostname,
        "host_port": judge.port,
        "api_key": api_key,
        "request_processor_concurrency": given.senders,
        "request_processor_batch_size": given.batch,
        "failed_submissions_path": None,
    }
    together, alone = range(given.calls), range(given.single)
    sides = [(Side("bare requests"), Side("PythonTool")) for _ in range(2)]
    async with Server(url, api_key) as server:
        bare, tool = by_request(server), by_tool(PythonTool(config))
        await stretch_of(bare, range(8), 1, 1)  # untimed: warm templates, connections
        await stretch_of(tool, range(8), 1, 1)
        for _ in range(given.rounds):
            sides[0][0].stretches.append(await stretch_of(bare, together, given.batch, given.senders))
            sides[0][1].stretches.append(await stretch_of(tool, together, 1, given.calls))
            sides[1][0].stretches.append(await stretch_of(bare, alone, 1, 1))
            sides[1][1].stretches.append(await stretch_of(tool, alone, 1, 1))
    names = (f"{given.calls:,} at once", "one by one")
    return [
        row
        for name, (http, calls) in zip(names, sides, strict=True)
        for row in (http.row(name), calls.row(name, http))
    ]


def arguments() -> argparse.Namespace:
    parser = parser_for(__doc__)
    parser.add_argument("--url", help="the judge; without: one is started here. $API_KEY is sent to it")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--calls", type=int, default=2000, help="calls at once")
    parser.add_argument("--single", type=int, default=200, help="calls one after the other")
    parser.add_argument("--senders", type=int, default=8, help="batches under way at once")
    parser.add_argument("--batch", type=int, default=32, help="calls in one batch")
    given = parser.parse_args()
    if given.quick:
        given.rounds, given.calls, given.single = 1, 64, 8
    return given


def main() -> None:
    given = arguments()
    with ExitStack() as stack:
        url, api_key = given.url, os.environ.get("API_KEY")
        if not url:
            judge = stack.enter_context(temporary_judge())
            url, api_key = judge.url, judge.api_key
        rows = asyncio.run(compare(url, api_key, given))
    Report("tool calls", rows, vars(given)).emit(given.json)


if __name__ == "__main__":
    main()
