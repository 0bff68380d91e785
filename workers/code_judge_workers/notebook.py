"""Notebooks: a cell is judged in an interpreter in which the cells before it were run again.

A cell that ended its interpreter or ran out of time is left out of every later replay: it would do so again.
The cell that a run ended in is told by the marks of ``programs/notebook.py``; that they come from a process
which the program shares can only cost the program its own state.
"""

import hashlib
import signal
import threading
import zlib
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from .programs import main_script
from .sandbox.limits import Limits
from .sandbox.outcome import Outcome, SandboxError, Stop
from .sandbox.program import Program
from .sandbox.sandbox import Execution

REMEMBERED_CELLS = 100_000
"""Cells to leave out, the latest of all notebooks; 32 bytes each."""
PATIENCE = 2.0
"""How many times a run's whole time limit one call may lose to cells that have to be left out."""

RunProgram = Callable[[Program, Limits, Execution | None], Outcome]


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of one notebook under one set of limits."""

    number: int
    """From 1; tracebacks show it."""
    source: str
    digest: bytes
    """Of the limits, of all cells before it and of itself."""


def cells_of(sources: Sequence[str], limits: Limits) -> list[Cell]:
    """Number them. Raises UnicodeEncodeError for lone surrogates."""
    cells = []
    digest = repr((limits.cpu_s, limits.memory_bytes)).encode()
    for number, source in enumerate(sources, 1):
        digest = hashlib.blake2b(digest + source.encode(), digest_size=32).digest()
        cells.append(Cell(number, source, digest))
    return cells


def chance_of(sources: Sequence[str]) -> int:
    """Seed of a notebook's random numbers: the same in each of its replays, which all begin alike."""
    return zlib.crc32(sources[0].encode())


class Notebooks:
    """Runs notebooks for one node, and remembers what not to run again."""

    def __init__(self, run_program: RunProgram, max_history_s: float) -> None:
        self._run_program = run_program
        self._max_history_s = max_history_s
        self._left_out: OrderedDict[bytes, None] = OrderedDict()
        self._lock = threading.Lock()

    def run(
        self, sources: Sequence[str], program: Program, limits: Limits, execution: Execution | None = None
    ) -> Outcome:
        """How the last cell ended after those before it. Raises SandboxError where we failed.

        ``limits`` are the last cell's. Each cell before it may use as much CPU, all of them together at most
        ``max_history_s`` more; the figures in the outcome are of all cells.
        """
        cells = cells_of(sources, limits)
        lost_s = 0.0
        while True:
            replay = Replay([*filter(self._is_run, cells[:-1]), cells[-1]], limits, self._max_history_s)
            outcome = self._run_program(replay.program(program, chance_of(sources)), replay.limits, execution)
            reached = replay.reached(outcome)
            if outcome.stop is Stop.CANCELLED:
                return outcome
            if reached is cells[-1]:
                outcome = replay.of_last_cell(outcome)
                if outcome.stop is not None or outcome.signal is not None:
                    self._leave_out(reached)
                return outcome
            self._leave_out(reached)
            lost_s += min(outcome.wall_s, replay.limits.cpu_s)
            if lost_s > PATIENCE * replay.limits.cpu_s:
                told = f"the cells before this one took too long; the last that was tried is {reached.number}"
                return replace(outcome, stop=Stop.TIME, stdout=b"", stderr=told.encode())

    def _is_run(self, cell: Cell) -> bool:
        with self._lock:
            if cell.digest not in self._left_out:
                return True
            self._left_out.move_to_end(cell.digest)
            return False

    def _leave_out(self, cell: Cell) -> None:
        with self._lock:
            self._left_out[cell.digest] = None
            if len(self._left_out) > REMEMBERED_CELLS:
                self._left_out.popitem(last=False)


class Replay:
    """One run of a notebook's cells."""

    def __init__(self, cells: list[Cell], limits: Limits, max_history_s: float) -> None:
        self._cells = cells
        self._cell_limit_s = limits.cpu_s
        history_s = min((len(cells) - 1) * limits.cpu_s, max_history_s)
        self.limits = replace(limits, cpu_s=limits.cpu_s + history_s)

    def program(self, program: Program, seed: int) -> Program:
        """The program that runs them, with the files, input and wishes of ``program``."""
        order = {
            "cells": [(cell.number, cell.source) for cell in self._cells],
            "cell_limit_s": self._cell_limit_s,
            "seed": seed,
        }
        return replace(
            program,
            files={**program.files, "main.py": main_script("notebook", order)},
            keep_stdout_bytes=program.keep_stdout_bytes + len(self._cells),
        )

    def reached(self, outcome: Outcome) -> Cell:
        """The cell that the run ended in. Raises SandboxError where our own part ended it earlier."""
        begun = min(len(outcome.stdout), len(self._cells))
        if begun == 0 and outcome.stop is None:
            told = outcome.stderr.decode(errors="replace")[-1000:]
            raise SandboxError(f"the notebook's harness did not begin: {told}")
        # A limit that is too small even for our part counts against the only cell that is surely there.
        return self._cells[begun - 1]

    def of_last_cell(self, outcome: Outcome) -> Outcome:
        """The outcome without our marks, and with the end that our timer made called what it is."""
        ended_by_timer = outcome.signal == signal.SIGPROF and outcome.wall_s >= self._cell_limit_s
        return replace(
            outcome,
            stdout=outcome.stdout[len(self._cells) :],
            stop=outcome.stop or (Stop.TIME if ended_by_timer else None),
        )
