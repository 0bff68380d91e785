"""What the precompiled ``bits/stdc++.h`` is worth: distinct sources with and without it, in one sandbox.

    python benchmarks/precompiled_header.py

The same programs, but for a declaration before the ``#include``: after the first declaration GCC takes no
precompiled header any more and reads the real one.
"""

import argparse
import secrets
from typing import Any

from benchmarks._common import CORES, Cell, Report, Spread, parser_for, ratio
from benchmarks._executor import executing, runs_per_s
from benchmarks._workloads import WORKLOADS
from code_judge_workers.judge import SandboxExecutor

DECLARATION = "struct declared_before_any_header;\n"


def sources(count: int, with_header: bool) -> list[dict[str, Any]]:
    """Programs that no cache has met."""
    made = WORKLOADS["cpp-distinct"].round(secrets.token_hex(4), count)
    if with_header:
        return made
    return [{**one, "solution": DECLARATION + one["solution"]} for one in made]


def measure(executor: SandboxExecutor, count: int, rounds: int) -> dict[str, Cell]:
    """One row: with and without the header in turns."""
    rates: dict[bool, list[float]] = {True: [], False: []}
    for _ in range(rounds):
        for with_header, values in rates.items():
            values.append(runs_per_s(executor, sources(count, with_header)))
    return {
        "program": "bits/stdc++.h",
        "precompiled, runs/s": Spread.of(rates[True]),
        "not, runs/s": Spread.of(rates[False]),
        "precompiled / not": ratio(rates[True], rates[False]),
    }


def arguments() -> argparse.Namespace:
    parser = parser_for(__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sources", type=int, default=2 * CORES, help="distinct sources per round and kind")
    return parser.parse_args()


def main() -> None:
    given = arguments()
    with executing() as executor:
        row = measure(executor, *(2, 1) if given.quick else (given.sources, given.rounds))
    Report("precompiled header", [row], vars(given)).emit(given.json)


if __name__ == "__main__":
    main()
