"""Forks a child per run from a warmed interpreter as fast as that goes: no walls, no limits, no queue.

``floor.py`` starts it in an interpreter of its own, with the source, the warm-up, the runs, the processes
and the niceness as a JSON list. It prints the runs per second.
"""

import gc
import json
import os
import sys
import time


def fork_runs(source: str, runs: int) -> None:
    """One run after another, while whoever asked lives. Raises RuntimeError where a program fails."""
    parent = os.getppid()
    for _ in range(runs):
        if os.getppid() != parent:
            return
        child = os.fork()
        if child == 0:
            _run(source)
        wait_for(child)


def _run(source: str) -> None:
    status = 1
    try:
        exec(source, {"__name__": "__main__"})
        sys.stdout.flush()
        status = 0
    finally:
        os._exit(status)


def wait_for(child: int) -> None:
    """Raises RuntimeError where it failed."""
    _, status = os.waitpid(child, 0)
    if status:
        raise RuntimeError(f"a forked program ended with status {status}")


def main() -> None:
    source, warm_up, runs, processes, nice = json.loads(sys.argv[1])
    os.nice(nice)
    exec(warm_up, {"__name__": "warm_up"})
    answer = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    gc.freeze()
    started = time.perf_counter()
    children = []
    for _ in range(processes):
        child = os.fork()
        if child == 0:
            fork_runs(source, runs // processes)
            os._exit(0)
        children.append(child)
    for child in children:
        wait_for(child)
    done = runs // processes * processes
    os.write(answer, str(done / (time.perf_counter() - started)).encode())


if __name__ == "__main__":
    main()
