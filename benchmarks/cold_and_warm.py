"""How much faster warm starts are than cold ones, in the same sandbox; and how near they come to a bare fork.

    python benchmarks/cold_and_warm.py

Two executors, one that forks from warm templates and one that starts an interpreter for each run, take turns
in every round with the bare fork floor.
"""

import argparse
from collections.abc import Callable
from dataclasses import dataclass

from benchmarks._common import CORES, Cell, Report, Spread, parser_for, ratio
from benchmarks._executor import executing, runs_per_s
from benchmarks._workloads import WORKLOADS
from benchmarks.floor import SOURCES, fork_floor
from code_judge_workers.judge import SandboxExecutor


@dataclass(frozen=True, slots=True)
class Counts:
    """Runs in one round."""

    warm: int
    cold: int


COUNTS = {"trivial": Counts(400, 40), "numpy": Counts(200, 12), "sympy": Counts(120, 6)}
QUICK = Counts(8, 2)


def measure_program(
    name: str, warm: SandboxExecutor, cold: SandboxExecutor, counts: Counts, rounds: int
) -> dict[str, Cell]:
    """One row: floor, warm and cold in turns."""
    workload = WORKLOADS[name]
    sides: dict[str, Callable[[], float]] = {
        "floor": lambda: fork_floor(SOURCES[name], counts.warm),
        "warm": lambda: runs_per_s(warm, workload.round("", counts.warm)),
        "cold": lambda: runs_per_s(cold, workload.round("", counts.cold)),
    }
    for executor in (warm, cold):  # slots are made at their first run
        runs_per_s(executor, workload.round("", 2 * CORES))
    rates: dict[str, list[float]] = {side: [] for side in sides}
    for _ in range(rounds):
        for side, run in sides.items():
            rates[side].append(run())
    return {
        "program": name,
        **{f"{side}, runs/s": Spread.of(values) for side, values in rates.items()},
        "warm / cold": ratio(rates["warm"], rates["cold"]),
        "warm / floor": ratio(rates["warm"], rates["floor"]),
    }


def arguments() -> argparse.Namespace:
    parser = parser_for(__doc__)
    parser.add_argument("--program", nargs="+", choices=COUNTS, default=list(COUNTS))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sandbox", choices=["namespaces", "uids", "bare"], default="namespaces")
    return parser.parse_args()


def main() -> None:
    given = arguments()
    rounds = 1 if given.quick else given.rounds
    with (
        executing(sandbox=given.sandbox) as warm,
        executing(sandbox=given.sandbox, warm_starts=False) as cold,
    ):
        rows = [
            measure_program(name, warm, cold, QUICK if given.quick else COUNTS[name], rounds)
            for name in given.program
        ]
    Report(f"cold and warm, sandbox {given.sandbox}", rows, vars(given)).emit(given.json)


if __name__ == "__main__":
    main()
