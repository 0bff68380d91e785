"""What all benchmarks share: statistics, the table and the JSON of the figures, and a judge for the while."""

import argparse
import json
import math
import os
import platform
import statistics
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Self

from rich.console import Console
from rich.table import Table

from code_judge_cli.local_judge import LocalJudge, unwind_on_sigterm

CORES = len(os.sched_getaffinity(0))
"""Cores that this process may use."""
PIPED_WIDTH = 160
"""Columns of tables that do not go to a terminal."""

# Statistics


@dataclass(frozen=True, slots=True)
class Spread:
    """One figure, measured in several rounds."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Self:
        """Raises StatisticsError for no values."""
        return cls(statistics.median(values), min(values), max(values))


def percentile(values: Sequence[float], percent: float) -> float:
    """The smallest value that ``percent`` of all do not exceed (nearest rank). Raises ValueError for none."""
    if not values:
        raise ValueError("no values: nothing was measured")
    rank = math.ceil(len(values) * percent / 100)
    return sorted(values)[max(rank, 1) - 1]


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> Spread | None:
    """Ours over theirs, round by round: what slows a busy machine down slows both sides of a round.

    None where a round of theirs brought nothing, so that there is nothing to compare with.
    """
    pairs = list(zip(ours, theirs, strict=True))
    return Spread.of([our / their for our, their in pairs]) if all(theirs) else None


# Figures for people and for programs

Cell = str | int | float | Spread | None


@dataclass(frozen=True, slots=True)
class Report:
    """All figures of one benchmark, with the conditions under which they were measured."""

    name: str
    rows: Sequence[Mapping[str, Cell]]
    """All with the same keys, which head the columns."""
    arguments: Mapping[str, object] = field(default_factory=dict)
    conditions: Mapping[str, object] = field(default_factory=lambda: conditions())

    def document(self) -> dict[str, object]:
        """What goes into the JSON file: numbers as measured, none of them rounded."""
        return asdict(self)

    def table(self) -> Table:
        """The same for people."""
        table = Table(title=self.name, title_justify="left", caption=_caption(self.conditions))
        used = [name for name in self.rows[0] if any(row[name] is not None for row in self.rows)]
        for name in used:
            table.add_column(name, justify="left" if isinstance(self.rows[0][name], str) else "right")
        for row in self.rows:
            table.add_row(*(cell_text(row[name]) for name in used))
        return table

    def emit(self, file: Path | None) -> None:
        """Show the table, and write the JSON where a file is named."""
        console = Console()
        if not console.is_terminal:  # a file or a pipe has no width of its own
            console.width = PIPED_WIDTH
        console.print(self.table())
        if file:
            file.write_text(json.dumps(self.document(), indent=2, default=str) + "\n")


def cell_text(cell: Cell) -> str:
    """A figure with three digits; a spread as its median and, where there were several rounds, its range."""
    match cell:
        case None:
            return ""
        case Spread(median, low, high):
            return _number(median) if low == high else f"{_number(median)} ({_number(low)}–{_number(high)})"
        case float():
            return _number(cell)
        case _:
            return str(cell)


def _number(value: float) -> str:
    if value == 0:
        return "0"
    decimals = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:,.{decimals}f}"


def conditions() -> dict[str, object]:
    """The machine, and how busy it is at this moment."""
    return {
        "time": time.strftime("%Y-%m-%d %H:%M:%S %z"),
        "machine": platform.machine(),
        "kernel": platform.release(),
        "python": platform.python_version(),
        "cores": CORES,
        "load_1_min": round(os.getloadavg()[0], 1),
    }


def _caption(conditions: Mapping[str, object]) -> str:
    return ", ".join(f"{name} {value}" for name, value in conditions.items() if name != "time")


# Command line and judge


def parser_for(doc: str | None) -> argparse.ArgumentParser:
    """A parser with what all benchmarks take: ``--quick`` and ``--json``."""
    parser = argparse.ArgumentParser(description=(doc or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="few runs: shows that it works, measures little")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write all figures there")
    return parser


@contextmanager
def temporary_judge(**settings: object) -> Iterator[LocalJudge]:
    """A whole judge on this machine, with Redis, for the while; gone afterwards, also after a SIGTERM.

    Raises LocalJudgeError.
    """
    unwind_on_sigterm()
    given = {name.upper(): str(value) for name, value in settings.items()}
    # Never somebody's real Redis: a benchmark would fill it, and measure its network.
    environ = {**os.environ, "LOG_LEVEL": "ERROR", "WORKER_GRACE_TIME": "2", **given, "REDIS_URI": ""}
    with LocalJudge(environ) as judge:
        yield judge
