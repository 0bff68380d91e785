"""What thousands of mixed runs, hostile ones among them, leave on a node: there should be nothing.

    python benchmarks/leftovers.py --runs 10000

Counts what the node has before and after: processes, mounts, control groups, files, descriptors, memory. The
counts before are taken when each program has run once, so that caches and slots are there.
"""

import argparse
import itertools
import os
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

from benchmarks._common import CORES, Cell, Report, parser_for
from benchmarks._executor import executing
from benchmarks._workloads import WORKLOADS
from benchmarks.memory import BYTES_PER_MB, resident
from code_judge.contract import Submission
from code_judge_workers.judge import SandboxExecutor

HOSTILE = {
    "a daemon in a session of its own": """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(600)
""",
    "files wherever it may write": """
import os
for folder in (".", "/tmp", "/dev/shm", "/var/tmp", "/run"):
    try:
        os.makedirs(folder + "/a/b"); open(folder + "/a/b/c", "w").write("x" * 100_000)
    except OSError: pass
""",
    "System V shared memory, an abstract socket": """
import ctypes, socket
ctypes.CDLL(None).shmget(1234, 4096, 0o1666)
kept = socket.socket(socket.AF_UNIX); kept.bind("\\0left-behind"); kept.listen()
""",
    "more memory than allowed": "kept = bytearray(400 << 20)",
    "more output than allowed": "while True: print('x' * 65536)",
    "more time than allowed": "while True: pass",
    "more processes than allowed": """
import os
try:
    while True:
        if os.fork() == 0:
            os.sched_yield()
except OSError: pass
""",
    "a crash": "import os; os.abort()",
    "an error": "1 / 0",
}
"""Programs that try to leave something, by what it is."""
HOSTILE_EACH = 10
"""Every so many runs are hostile ones."""
DISTINCT = 400
"""Usual programs before they repeat."""
WARM_UP_RUNS = DISTINCT
"""Runs before the first look."""
LIMITS = {"time_limit": 0.3, "memory_limit": 256}


def submissions(count: int) -> Iterator[dict[str, Any]]:
    """Mostly usual programs, each kind of hostile one again and again."""
    usual = WORKLOADS["mixed"]
    hostile = itertools.cycle(HOSTILE.values())
    for number in range(count):
        if number % HOSTILE_EACH:
            yield usual.make("leftovers", number % DISTINCT)
        else:
            yield {"type": "python", "solution": next(hostile), **LIMITS}


def run_all(executor: SandboxExecutor, count: int) -> int:
    """Run so many; returns how many ended by a fault of ours."""

    def fault(submission: dict[str, Any]) -> bool:
        result = executor.prepare(Submission.model_validate(submission)).result()
        return result.verdict.is_ours

    with ThreadPoolExecutor(2 * CORES) as threads:
        return sum(threads.map(fault, submissions(count)))


def _memory_mb(processes: list[psutil.Process]) -> float:
    return sum(resident("", process).size_bytes for process in processes) / BYTES_PER_MB


def look(folder: Path) -> dict[str, float]:
    """What the node has now, its slots and their memory apart: they come and go with the work."""
    manager = psutil.Process()
    [launcher] = manager.children()
    templates = launcher.children()
    groups = sum(
        name.startswith(f"code-judge-{manager.pid}-")
        for _, names, _ in os.walk("/sys/fs/cgroup")
        for name in names
    )
    return {
        "processes": len(manager.children(recursive=True)),
        "mounts": len(Path("/proc/self/mountinfo").read_text().splitlines()),
        "node's control groups": groups,
        "files": sum(len(names) for _, _, names in os.walk(folder)),
        "manager's descriptors": manager.num_fds(),
        "launcher's and templates' descriptors": sum(one.num_fds() for one in (launcher, *templates)),
        "manager, MB": _memory_mb([manager]),
        "launcher and templates, MB": _memory_mb([launcher, *templates]),
    }


def measure(runs: int) -> list[dict[str, Cell]]:
    """One row for each thing that could be left."""
    with tempfile.TemporaryDirectory() as folder, _temporary_files_in(folder):
        with executing(max_workers=2 * CORES) as executor:
            faults = run_all(executor, WARM_UP_RUNS)
            before = look(Path(folder))
            faults += run_all(executor, runs)
            after = look(Path(folder))
        after_stop = float(sum(1 for _ in Path(folder).rglob("*")))
    rows: list[dict[str, Cell]] = [
        {"of": name, "before": before[name], "after": after[name], "more": after[name] - before[name]}
        for name in before
    ]
    rows.append({"of": "files after the node's end", "before": 0.0, "after": after_stop, "more": after_stop})
    rows.append({"of": "runs that we failed", "before": 0.0, "after": float(faults), "more": float(faults)})
    return rows


@contextmanager
def _temporary_files_in(folder: str) -> Iterator[None]:
    before, tempfile.tempdir = tempfile.tempdir, folder
    os.chmod(folder, 0o711)
    try:
        yield
    finally:
        tempfile.tempdir = before


def arguments() -> argparse.Namespace:
    parser = parser_for(__doc__)
    parser.add_argument("--runs", type=int, default=10_000)
    return parser.parse_args()


def main() -> None:
    given = arguments()
    rows = measure(50 if given.quick else given.runs)
    Report("leftovers", rows, vars(given)).emit(given.json)


if __name__ == "__main__":
    main()
