"""Sessions of the OpenEnv environment side by side: steps per second, as a share of the cluster's own rate.

256 sessions take 20 steps each of real Python through a whole judge; the same programs, with the same
histories, go to the same judge in direct batches. Both take turns, round by round. Answers are checked: each
session keeps a running total of its own. With --rounds-of-leaving N the question is another one: what do N
rounds of connect, reset, step and drop leave in the server?
"""

import argparse
import asyncio
import gc
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import psutil

from benchmarks._common import Report, Spread, parser_for, percentile, ratio, temporary_judge
from code_judge.contract import Submission, Verdict
from code_judge_client import Batching, RequestProcessor
from code_judge_env import CodeAction, CodeJudgeEnv

FIRST_CELL = "total = {number}"
CELL = "total += 1\nprint(total)"
TASK = "sum-of-numbers"
SENDERS = 8
BATCH = 64
"""Those of the environment's own defaults, for the direct batches as well."""


@dataclass
class Steps:
    """What one side of a round came to."""

    latencies_s: list[float] = field(default_factory=list)
    seconds: float = 0.0
    wrong: int = 0

    @property
    def per_s(self) -> float:
        """Right steps only."""
        return (len(self.latencies_s) - self.wrong) / self.seconds


# Two ways to the same judge


async def through_sessions(url: str, sessions: int, steps: int) -> Steps:
    """Each session is a client of its own, and resets before the clock runs."""
    found = Steps()
    clients = [CodeJudgeEnv(url, message_timeout_s=600) for _ in range(sessions)]
    await asyncio.gather(*(client.reset(task_id=TASK) for client in clients))

    async def explore(number: int, client: CodeJudgeEnv) -> None:
        for step in range(steps):
            code = CELL if step else FIRST_CELL.format(number=1000 * number)
            started = time.perf_counter()
            result = await client.step(CodeAction(code=code))
            found.latencies_s.append(time.perf_counter() - started)
            found.wrong += result.observation.stdout != expected(number, step)

    started = time.perf_counter()
    await asyncio.gather(*(explore(number, client) for number, client in enumerate(clients)))
    found.seconds = time.perf_counter() - started
    await asyncio.gather(*(client.close() for client in clients))
    return found


async def through_batches(url: str, sessions: int, steps: int) -> Steps:
    """The same cells after the same histories, each as soon as the one before it is answered."""
    found = Steps()
    batching = Batching(concurrency=SENDERS, batch_size=BATCH)
    async with RequestProcessor(url, batching=batching) as processor:

        async def explore(number: int) -> None:
            cells = [FIRST_CELL.format(number=1000 * number)] + [CELL] * (steps - 1)
            for step, cell in enumerate(cells):
                submission = Submission(type="jupyter", solution=cell, history=cells[:step])
                started = time.perf_counter()
                result = await processor.send_request(submission)
                found.latencies_s.append(time.perf_counter() - started)
                right = result.verdict is Verdict.RAN and result.stdout == expected(number, step)
                found.wrong += not right

        started = time.perf_counter()
        await asyncio.gather(*(explore(number) for number in range(sessions)))
        found.seconds = time.perf_counter() - started
    return found


def expected(number: int, step: int) -> str:
    return f"{1000 * number + step}\n" if step else ""


@contextmanager
def environment(judge_url: str, sessions: int) -> Iterator[tuple[str, psutil.Process]]:
    """The environment's server as a process of its own."""
    command = [sys.executable, "-m", "uvicorn", "code_judge_env.server.app:app", "--port", "0"]
    environ = {"JUDGE_URL": judge_url, "STEP_TIMEOUT": "590", "MAX_CONCURRENT_ENVS": str(sessions)}
    process = subprocess.Popen(
        [*command, "--no-access-log"], env={**os.environ, **environ}, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stderr
        told = next(line for line in process.stderr if "running on" in line)
        # A full pipe would stop the server.
        threading.Thread(target=process.stderr.read, name="server's log", daemon=True).start()
        yield next(word for word in told.split() if word.startswith("http")), psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait()


# What is shown


async def compare(args: argparse.Namespace, judge_url: str, env_url: str) -> Report:
    ours: list[Steps] = []
    direct: list[Steps] = []
    for _ in range(args.rounds):
        ours.append(await through_sessions(env_url, args.sessions, args.steps))
        direct.append(await through_batches(judge_url, args.sessions, args.steps))
    share = ratio([it.per_s for it in ours], [it.per_s for it in direct])
    rows = [row("sessions", ours, share), row("direct batches", direct, None)]
    name = f"{args.sessions} sessions of {args.steps} steps"
    return Report(name, rows, arguments=vars(args))


def row(name: str, rounds: Sequence[Steps], share: Spread | None) -> dict[str, str | int | Spread | None]:
    return {
        "through": name,
        "steps/s": Spread.of([it.per_s for it in rounds]),
        "of direct": share,
        "p50 ms": Spread.of([1000 * percentile(it.latencies_s, 50) for it in rounds]),
        "p99 ms": Spread.of([1000 * percentile(it.latencies_s, 99) for it in rounds]),
        "wrong": sum(it.wrong for it in rounds),
    }


async def leave(args: argparse.Namespace, env_url: str, server: psutil.Process) -> Report:
    """Connect, reset, step, drop: every other time without a word of goodbye."""

    async def rounds(count: int) -> dict[str, str | int]:
        for number in range(count):
            client = CodeJudgeEnv(env_url)
            await client.reset(seed=number)
            await client.step(CodeAction(code="1"))
            if number % 2 and client._ws:
                client._ws.transport.abort()
            else:
                await client.close()
        gc.collect()
        await asyncio.sleep(3)  # connections to the judge are kept for a while
        left: dict[str, str | int] = {
            "after rounds": count,
            "server descriptors": server.num_fds(),
            "server threads": server.num_threads(),
            "server MB": round(server.memory_info().rss / 1e6),
        }
        # Last, since it takes all places itself.
        return left | {"sessions left": args.sessions - await free_places(env_url, args.sessions)}

    rows = [await rounds(20), await rounds(args.rounds_of_leaving)]
    return Report("connect, reset, step, drop", rows, arguments=vars(args))


async def free_places(url: str, most: int) -> int:
    """How many sessions the server still takes."""
    clients = [CodeJudgeEnv(url, patience_s=0) for _ in range(most)]
    taken = await asyncio.gather(*(client.reset() for client in clients), return_exceptions=True)
    await asyncio.gather(*(client.close() for client in clients))
    return sum(not isinstance(it, BaseException) for it in taken)


def main() -> None:
    parser = parser_for(__doc__)
    parser.add_argument("--sessions", type=int, default=256)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rounds-of-leaving", type=int, metavar="N", help="the other question: leftovers")
    args = parser.parse_args()
    if args.quick:
        args.sessions, args.steps, args.rounds = 16, 3, 1
    with (
        temporary_judge(max_time_limit=600) as judge,
        environment(judge.url, args.sessions) as (env_url, server),
    ):
        asked = leave(args, env_url, server) if args.rounds_of_leaving else compare(args, judge.url, env_url)
        report = asyncio.run(asked)
    report.emit(args.json)


if __name__ == "__main__":
    main()
