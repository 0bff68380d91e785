"""The bare fork floor of this machine: how fast warmed interpreters can fork, run a program and reap it.

    python benchmarks/floor.py

No sandbox, no limits, no queue, no answer: nothing that forks per run can be faster here. What a judge
reaches of it in the same minutes says what its walls and its queue cost.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

from benchmarks._common import CORES, Cell, Report, Spread, parser_for
from benchmarks._workloads import NUMPY, SYMPY, TRIVIAL
from code_judge.settings import Settings
from code_judge_workers.imports import imported_packages
from code_judge_workers.sandbox.plan import WARM_UPS

LOOP = Path(__file__).with_name("_fork_loop.py")
SOURCES = {"trivial": TRIVIAL, "numpy": NUMPY, "sympy": SYMPY}
RUNS = {"trivial": 1000, "numpy": 500, "sympy": 200}
NICE = Settings().run_nice
"""As runs have it by default: else a busy machine would put the floor first and not the judge."""
TIMEOUT_S = 300


def fork_floor(source: str, runs: int, processes: int = CORES) -> float:
    """Runs per second of ``processes`` loops that fork from an interpreter warmed as our templates are."""
    arguments = json.dumps([source, warm_up_for(source), runs, processes, NICE])
    loop = subprocess.run(
        [sys.executable, str(LOOP), arguments], check=True, stdout=subprocess.PIPE, timeout=TIMEOUT_S
    )
    return float(loop.stdout)


def warm_up_for(source: str) -> str:
    """What a template that fits ``source`` runs before it forks."""
    names = sorted(imported_packages(source))
    return "\n".join([*(f"import {name}" for name in names), *(WARM_UPS.get(name, "") for name in names)])


def measure(rounds: int, share: float) -> list[dict[str, Cell]]:
    """One row per workload."""
    rows: list[dict[str, Cell]] = []
    for name, source in SOURCES.items():
        runs = max(CORES, int(RUNS[name] * share))
        rates = Spread.of([fork_floor(source, runs) for _ in range(rounds)])
        rows.append({"program": name, "runs/s": rates, "ms of a core per run": 1000 * CORES / rates.median})
    return rows


def arguments() -> argparse.Namespace:
    parser = parser_for(__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    return parser.parse_args()


def main() -> None:
    given = arguments()
    rows = measure(*(1, 0.05) if given.quick else (given.rounds, 1.0))
    Report("fork floor", rows, vars(given)).emit(given.json)


if __name__ == "__main__":
    main()
