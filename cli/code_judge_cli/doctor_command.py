"""``code-judge doctor``: what a node on this machine could protect, what is missing, and what brings it."""

import argparse
import os
from collections.abc import Sequence
from itertools import groupby

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from code_judge.logs import configure_logs
from code_judge.settings import Settings
from code_judge_workers.doctor import Finding, Grade, examine

from .exit_codes import CliExit
from .render import printable

MARKS = {
    Grade.FINE: Text("✓", style="green"),
    Grade.WEAK: Text("!", style="bold yellow"),
    Grade.MISSING: Text("✗", style="bold red"),
}
NAME_WIDTH = 24


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Describe the command line."""
    parser = commands.add_parser(
        "doctor",
        help="what a node here can protect, what is missing, and the command that fixes it",
        description="Start the sandbox as a node would, look at Redis, compilers, libraries and limits, and "
        "say what to do about each that falls short. Run it as the user and with the environment of the node "
        "to be. Ends with 1 where something that a node needs is missing; SANDBOX=namespaces makes that "
        "tier a need.",
    )
    parser.set_defaults(execute=execute)


def execute(_args: argparse.Namespace) -> CliExit:
    """Examine and show. Raises SettingsError."""
    settings = Settings.from_env({"LOG_LEVEL": "ERROR", **os.environ})
    configure_logs(settings)
    findings = examine(settings)
    console = Console()
    for topic, group in groupby(findings, key=lambda finding: finding.topic):
        console.print(_section(topic, list(group)))
    console.print(_summary(findings))
    missing = any(finding.grade is Grade.MISSING for finding in findings)
    return CliExit.NOT_OK if missing else CliExit.OK


def _section(topic: str, findings: Sequence[Finding]) -> RenderableType:
    rows = Table.grid(padding=(0, 2, 0, 0), pad_edge=False)
    rows.add_column(width=1)
    rows.add_column(no_wrap=True, min_width=NAME_WIDTH, style="bold")
    rows.add_column(overflow="fold")
    for finding in findings:
        rows.add_row(MARKS[finding.grade], Text(finding.name), _told(finding))
    return Group(Text(topic, style="dim"), rows, Text())


def _told(finding: Finding) -> Text:
    text = Text(printable(finding.detail))
    if finding.remedy:
        text.append(f"\n→ {finding.remedy}", style="cyan")
    return text


def _summary(findings: Sequence[Finding]) -> Text:
    count = {grade: sum(finding.grade is grade for finding in findings) for grade in Grade}
    if count[Grade.MISSING]:
        return Text(
            f"Not fit for a node: {count[Grade.MISSING]} missing, {count[Grade.WEAK]} weak.", style="bold red"
        )
    if count[Grade.WEAK]:
        return Text(f"A node can run here; {count[Grade.WEAK]} could be better.", style="bold yellow")
    return Text("A node can run here, with everything in place.", style="bold green")
