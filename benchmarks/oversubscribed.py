"""Whether right programs are falsely timed out when eight times as many run as there are cores.

    python benchmarks/oversubscribed.py

Programs of 0.5 CPU seconds with a limit of 2 must all be right, programs of 3 CPU seconds must all end in
``time_limit``: one by one on the idle judge, and all together. Ends with 1 where a verdict differs.
"""

import argparse
import asyncio
import random
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

from benchmarks._common import CORES, Cell, Report, parser_for, temporary_judge
from benchmarks._server import Answer, Server, outcome_of

LIMIT_S = 2
RIGHT_CPU_S = 0.5
SLOW_CPU_S = 3.0
BURN = "import time\nwhile time.process_time() < {cpu_s}:\n    pass\nprint('done')"
RIGHT, SLOW = "right", "too slow"
WANTED = {RIGHT: {"accepted"}, SLOW: {"time_limit", "worker_timeout"}}
"""The right verdicts; a server that knows only plain answers says ``worker_timeout``."""
IDLE = 4
"""Programs of each kind that are run one by one."""
SEED = 1


def burner(cpu_s: float) -> dict[str, Any]:
    """A program that needs so many CPU seconds, by its own count."""
    return {
        "type": "python",
        "solution": BURN.format(cpu_s=cpu_s),
        "expected_output": "done",
        "time_limit": LIMIT_S,
    }


def programs(right: int, slow: int) -> list[tuple[str, dict[str, Any]]]:
    """So many of each kind, in an order that looks random and is always the same."""
    kinds = [(RIGHT, burner(RIGHT_CPU_S))] * right + [(SLOW, burner(SLOW_CPU_S))] * slow
    random.Random(SEED).shuffle(kinds)
    return kinds


async def alone(server: Server, count: int) -> list[tuple[str, Answer]]:
    """Each program by itself."""
    return [(kind, (await server.run(program)).answer) for kind, program in programs(count, count)]


async def together(server: Server, right: int, slow: int) -> list[tuple[str, Answer]]:
    """All at once: the judge runs as many of them side by side as it has threads."""
    kinds = programs(right, slow)
    answers = await server.run_batch([program for _, program in kinds])
    return [(kind, answer) for (kind, _), answer in zip(kinds, answers, strict=True)]


def rows_of(machine: str, judged: Sequence[tuple[str, Answer]]) -> list[dict[str, Cell]]:
    """One row per kind of program."""
    rows: list[dict[str, Cell]] = []
    for kind, wanted in WANTED.items():
        verdicts = Counter(outcome_of(answer) for own, answer in judged if own == kind)
        rows.append(
            {
                "program": f"{RIGHT_CPU_S if kind == RIGHT else SLOW_CPU_S} CPU s, limit {LIMIT_S} s",
                "machine": machine,
                "verdicts": ", ".join(f"{count} {name}" for name, count in verdicts.most_common()),
                "false": sum(count for name, count in verdicts.items() if name not in wanted),
                "of": verdicts.total(),
            }
        )
    return rows


async def measure(url: str, api_key: str | None, given: argparse.Namespace) -> list[dict[str, Cell]]:
    """Idle first, then oversubscribed."""
    async with Server(url, api_key) as server:
        idle = await alone(server, 1 if given.quick else IDLE)
        full = await together(server, *(CORES * 4, 2) if given.quick else (given.right, given.slow))
        return rows_of("idle", idle) + rows_of("oversubscribed", full)


def arguments() -> argparse.Namespace:
    parser = parser_for(__doc__)
    parser.add_argument("--url", help="a server with many workers per core; without: one is started here")
    parser.add_argument("--factor", type=int, default=8, help="worker threads per core")
    parser.add_argument("--right", type=int, default=64, help=f"programs of {RIGHT_CPU_S} CPU seconds")
    parser.add_argument("--slow", type=int, default=8, help=f"programs of {SLOW_CPU_S} CPU seconds")
    return parser.parse_args()


def main() -> int:
    given = arguments()
    with ExitStack() as stack:
        url, api_key = given.url, None
        if not url:
            judge = stack.enter_context(temporary_judge(max_workers=given.factor * CORES))
            url, api_key = judge.url, judge.api_key
        rows = asyncio.run(measure(url, api_key, given))
    Report("oversubscribed", rows, vars(given)).emit(given.json)
    return int(any(row["false"] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
