"""Resident memory of a worker node while as many programs sleep in it as it has threads.

    python benchmarks/memory.py --threads 64 1024

Proportional set size (PSS), which counts a shared page once among all who share it, as it must be for forks
of one template; where the kernel does not let us read it, the resident set size, which counts it every time.
"""

import argparse
import asyncio
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil

from benchmarks._common import Cell, Report, parser_for, temporary_judge
from benchmarks._server import Server

ROLES = ("manager", "launcher", "templates", "slots", "programs")
"""By how far a process is from the manager: each is started by the one before."""
ALL_BUT_PROGRAMS = "all but the programs"
NODE_MODULE = "code_judge_workers.main"
PYTHON_ONLY = {"cpp_compiler_path": "none"}
"""A node with a compiler precompiles a header at its start, and that would count as a program."""
SLEEP_S = 600
START_S = 300.0
"""Seconds within which all programs must sleep."""
LOOK_S = 0.5
BYTES_PER_MB = 1_000_000


@dataclass(frozen=True, slots=True)
class Resident:
    """Memory of one process."""

    role: str
    size_bytes: int
    is_proportional: bool


def node_process() -> psutil.Process:
    """The manager of the judge that this process has started. Raises LookupError."""
    for child in psutil.Process().children():
        if NODE_MODULE in child.cmdline():
            return child
    raise LookupError("the judge that was started here has no worker node any more")


def members(manager: psutil.Process) -> Iterator[tuple[str, psutil.Process]]:
    """All processes of the node, each with its role."""
    depths = {manager.pid: 0}
    yield ROLES[0], manager
    for process in manager.children(recursive=True):  # parents come before their children
        try:
            depths[process.pid] = depth = depths.get(process.ppid(), 0) + 1
        except psutil.NoSuchProcess:
            continue  # ended meanwhile
        yield ROLES[min(depth, len(ROLES) - 1)], process


def resident(role: str, process: psutil.Process) -> Resident:
    """Raises psutil.NoSuchProcess where it has ended."""
    try:
        lines = Path(f"/proc/{process.pid}/smaps_rollup").read_text().splitlines()
        [kilobytes] = [line.split()[1] for line in lines if line.startswith("Pss:")]
        return Resident(role, int(kilobytes) * 1024, True)
    except (OSError, ValueError):  # not permitted, not known to this kernel
        return Resident(role, process.memory_info().rss, False)


def look(manager: psutil.Process) -> list[Resident]:
    """All processes that are there now."""
    found = []
    for role, process in members(manager):
        try:
            found.append(resident(role, process))
        except psutil.NoSuchProcess:
            continue  # ended meanwhile
    return found


async def wait_until_asleep(manager: psutil.Process, count: int) -> None:
    """Wait until ``count`` programs run. Raises TimeoutError."""
    deadline = time.monotonic() + START_S
    while sum(role == "programs" for role, _ in members(manager)) < count:
        if time.monotonic() > deadline:
            raise TimeoutError(f"{count} programs did not all start within {START_S:.0f} s")
        await asyncio.sleep(LOOK_S)


async def measure(url: str, api_key: str | None, threads: int) -> list[Resident]:
    """Fill every thread, look, and hang up, which ends the programs."""
    manager = node_process()
    sleeper = {"type": "python", "solution": f"import time\ntime.sleep({SLEEP_S})", "time_limit": SLEEP_S}
    async with Server(url, api_key) as server:
        sleeping = asyncio.create_task(server.run_batch([sleeper] * threads))
        try:
            await wait_until_asleep(manager, threads)
            return look(manager)
        finally:
            sleeping.cancel()


def rows_of(threads: int, found: list[Resident]) -> list[dict[str, Cell]]:
    """One row per role, and the sums of what is the judge's own, without its slots and with them."""
    by_role: dict[str, list[Resident]] = defaultdict(list)
    for one in found:
        by_role[one.role].append(one)
    base = [one for one in found if one.role in ROLES[:3]]
    groups = {**{role: by_role[role] for role in ROLES}, ", ".join(ROLES[:3]): base}
    groups[ALL_BUT_PROGRAMS] = base + by_role["slots"]
    return [_row(threads, name, group) for name, group in groups.items()]


def _row(threads: int, name: str, group: list[Resident]) -> dict[str, Cell]:
    size_mb = sum(one.size_bytes for one in group) / BYTES_PER_MB
    proportional = sum(one.is_proportional for one in group)
    measure = "PSS" if proportional == len(group) else f"PSS, {len(group) - proportional} RSS"
    return {
        "threads": threads,
        "processes of": name,
        "count": len(group),
        "MB": size_mb,
        "MB per thread": size_mb / threads,
        "measure": measure,
    }


def arguments() -> argparse.Namespace:
    parser = parser_for(__doc__)
    parser.add_argument("--threads", type=int, nargs="+", default=[64, 1024])
    return parser.parse_args()


def main() -> None:
    given = arguments()
    rows: list[dict[str, Cell]] = []
    for threads in [8] if given.quick else given.threads:
        with temporary_judge(max_workers=threads, max_time_limit=SLEEP_S, **PYTHON_ONLY) as judge:
            rows += rows_of(threads, asyncio.run(measure(judge.url, judge.api_key, threads)))
    Report("memory", rows, vars(given)).emit(given.json)


if __name__ == "__main__":
    main()
