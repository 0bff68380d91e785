"""Starts a judge, judges the programs beside this file, and shows the verdicts.

Ends with 1 if a verdict differs from the one that ``manifest.toml`` wants. ``make demo`` runs it.
"""

import asyncio
import importlib.util
import os
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from code_judge.contract import Result, Submission, Verdict
from code_judge_cli.local_judge import LocalJudge, LocalJudgeError, unwind_on_sigterm
from code_judge_cli.render import verdict_text
from code_judge_cli.run_command import TYPES
from code_judge_client import JudgeClient

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Program:
    """One entry of the manifest."""

    name: str
    shows: str
    expected: Verdict
    needs: str | None
    submission: Submission

    @classmethod
    def read(cls, entry: dict[str, Any]) -> "Program":
        file = FOLDER / str(entry["file"])
        submission = Submission.model_validate(
            {**entry, "sub_id": file.name, "type": TYPES[file.suffix], "solution": file.read_text()}
        )
        needs = str(entry["needs"]) if "needs" in entry else None
        return cls(file.name, str(entry["shows"]), Verdict(entry["verdict"]), needs, submission)


async def judge(local: LocalJudge, programs: list[Program], console: Console) -> bool:
    """Judge what can be judged here and show it; whether every verdict is the wanted one."""
    async with JudgeClient(local.url, api_key=local.api_key) as client:
        languages = (await client.cluster()).languages
        left_out: dict[str, list[str]] = {}
        chosen = []
        for program in programs:
            if missing := what_is_missing(program, languages):
                left_out.setdefault(missing, []).append(program.name)
            else:
                chosen.append(program)
        results = await client.run_batch([program.submission for program in chosen])
    console.print(table_of(chosen, results))
    for missing, names in left_out.items():
        console.print(f"Left out: {', '.join(names)}. {missing}", style="yellow")
    right = sum(program.expected is result.verdict for program, result in zip(chosen, results, strict=True))
    console.print(f"{right} of {len(chosen)} verdicts as expected, {len(programs) - len(chosen)} left out")
    return right == len(chosen)


def what_is_missing(program: Program, languages: list[str]) -> str | None:
    """What the program needs and this machine has not, and how to have it; None where it has all."""
    if program.submission.type not in languages:
        return (
            "There is no g++ here. To have it: apt install g++ "
            "(Fedora, RHEL: dnf install gcc-c++; Alpine: apk add g++)"
        )
    if program.needs and importlib.util.find_spec(program.needs) is None:
        return f"There is no {program.needs} here. To have it: pip install {program.needs}"
    return None


def table_of(programs: list[Program], results: list[Result]) -> Table:
    """A row per program: what was expected and what was found."""
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for heading in ("program", "shows", "expected", "verdict", ""):
        table.add_column(heading, no_wrap=True)
    for heading in ("s", "MB"):
        table.add_column(heading, no_wrap=True, justify="right")
    for program, result in zip(programs, results, strict=True):
        table.add_row(
            program.name,
            program.shows,
            program.expected.value,
            verdict_text(result.verdict),
            Text("✓", style="green") if program.expected is result.verdict else Text("✗", style="bold red"),
            f"{result.wall_time:.2f}",
            f"{result.peak_memory_mb:.0f}",
        )
    return table


def main() -> int:
    """Run the demo; returns the exit code."""
    unwind_on_sigterm()
    console = Console()
    entries = tomllib.loads((FOLDER / "manifest.toml").read_text())["program"]
    programs = [Program.read(entry) for entry in entries]
    console.print("Starting a judge: Redis, a master and a worker node, all on this machine …")
    try:
        with LocalJudge({"LOG_LEVEL": "ERROR", **os.environ}) as local:
            as_expected = asyncio.run(judge(local, programs, console))
    except LocalJudgeError as error:
        console.print(f"The judge did not start: {error}", style="bold red")
        return 1
    return 0 if as_expected else 1


if __name__ == "__main__":
    sys.exit(main())
