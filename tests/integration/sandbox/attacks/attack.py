"""The attack table: every program as data, read from the TOML files beside this one."""

import tomllib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PRELUDES = {"python": HERE / "programs" / "prelude.txt", "cpp": HERE / "programs" / "prelude.hpp"}

ESCAPED = "ESCAPED"
"""What a program prints when a wall did not hold."""
HELD = "held"
"""What a program prints at its end: one that fails early proves nothing."""


@dataclass(frozen=True, slots=True)
class Attack:
    """One program, or two in a row, that try something a sandbox must not let happen."""

    id: str
    language: str
    promise: str
    """The row of ``docs/security.md`` that this puts to the test; says which tiers must contain it."""
    tries: str
    shows: str
    """How a wall that does not hold shows, beside the word ESCAPED in the output."""
    source: str
    then: str = ""
    """Python program that runs after it, as likely as not in the same slot, and looks for what it left."""
    meanwhile: str = ""
    """Python program of somebody else that runs at the same time."""
    verdicts: tuple[str, ...] = ("ran",)
    """Verdicts of a contained attack."""
    input: str = ""
    expected_output: str | None = None
    checker: str = "strip"
    files: dict[str, str] = field(default_factory=dict)
    tests: list[dict[str, Any]] | None = None
    time_limit: float = 8.0
    memory_limit: float = 256.0
    throwaway_uid: bool = False
    """Whether a wall that fails would harm whoever runs the tests: it runs only where that is nobody."""


@cache
def attacks() -> tuple[Attack, ...]:
    """The whole table, in the order of its files."""
    found = []
    for path in sorted(HERE.glob("*.toml")):
        for row in tomllib.loads(path.read_text())["attack"]:
            if "verdicts" in row:
                row["verdicts"] = tuple(row["verdicts"])
            found.append(Attack(**row))
    return tuple(found)
