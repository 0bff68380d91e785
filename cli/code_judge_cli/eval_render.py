"""How an evaluation's outcome is shown in the terminal."""

from pathlib import Path

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from code_judge_client.evaluation import Flagged, Summary

from .render import printable, verdict_text


def show_summary(summary: Summary, *, results: Path, report: Path) -> RenderableType:
    """Counts, pass@k, verdicts, the slowest samples, and where the rest is."""
    facts = Table.grid(padding=(0, 2))
    facts.add_column(style="dim", no_wrap=True)
    facts.add_column(overflow="fold")
    facts.add_row("samples", f"{summary.samples:,} of {summary.tasks:,} tasks")
    facts.add_row("passed", f"{summary.passed:,} of {summary.judged:,} judged")
    for k, score in summary.pass_at_k.items():
        facts.add_row(f"pass@{k}", Text(f"{score:.4f}", style="bold"))
    for name, flagged in (("right", summary.flagged_right), ("wrong", summary.flagged_wrong)):
        if flagged:
            facts.add_row(f"flagged {name}", _flagged(flagged))
    if summary.unjudged:
        told = f"{summary.unjudged:,}; they are neither right nor wrong, and judged again by the same command"
        facts.add_row("not judged", Text(told, style="bold yellow"))
    for verdict, count in summary.verdicts.items():
        facts.add_row("", Text.assemble(f"{count:>7,}  ", verdict_text(verdict)))
    facts.add_row("results", str(results))
    facts.add_row("report", str(report))
    return Group(facts, *_slowest(summary))


def _flagged(flagged: Flagged) -> str:
    return f"{flagged.passed:,} of {flagged.judged:,} passed ({flagged.rate:.4f})"


def _slowest(summary: Summary) -> list[Table]:
    if not summary.slowest:
        return []
    table = Table("sample", "wall time", "CPU time", "verdict", title="slowest", title_justify="left")
    for judged in summary.slowest:
        result = judged.result
        times = (f"{result.cost:.3f} s", f"{result.cpu_time:.3f} s")
        table.add_row(printable(judged.id), *times, verdict_text(judged.verdict))
    return [table]
