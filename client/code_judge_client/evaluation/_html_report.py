"""An evaluation as one HTML page: no scripts, nothing fetched, whatever the samples printed."""

from collections.abc import Sequence
from html import escape
from importlib.resources import files

from code_judge.contract import Verdict

from ._judged import Judged
from ._summary import Summary
from ._svg import Bar, bar_chart, log_histogram

MOST_LISTED = 200
"""Failures that a report shows one by one; all of them are in the results file."""


def html_report(title: str, summary: Summary, results: Sequence[Judged]) -> str:
    """The whole page."""
    judged = [it for it in results if not it.is_ours]
    sections = [
        _headline(title, summary),
        _figures(summary, judged),
        _slowest(summary),
        _listing(
            "Not judged",
            "The judge failed at these: they are neither right nor wrong.",
            [it for it in results if it.is_ours],
        ),
        _listing(
            "Otherwise than flagged",
            "The file calls these right though they did not pass, or wrong though they did.",
            [it for it in judged if it.expected_right not in (None, it.result.success)],
        ),
        _listing("Not passed", "", [it for it in judged if not it.result.success]),
    ]
    style = files(__package__).joinpath("report.css").read_text(encoding="utf-8")
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{style}</style></head><body>\n" + "\n".join(sections) + "\n</body></html>\n"
    )


def verdict_class(verdict: Verdict) -> str:
    """The style of a verdict: it is the judge's, a success, or the program's failure."""
    return "ours" if verdict.is_ours else "passed" if verdict.success else "failed"


def _headline(title: str, summary: Summary) -> str:
    tiles = [(f"{score:.1%}", f"pass@{k}") for k, score in summary.pass_at_k.items()]
    tiles.append((f"{summary.passed:,} of {summary.judged:,}", "samples passed"))
    tiles.append((f"{summary.tasks:,}", "tasks"))
    if summary.unjudged:
        tiles.append((f"{summary.unjudged:,}", "not judged"))
    if summary.flagged_right:
        tiles.append((f"{summary.flagged_right.rate:.1%}", "of those flagged right passed"))
    if summary.flagged_wrong:
        tiles.append((f"{summary.flagged_wrong.rate:.1%}", "of those flagged wrong passed"))
    shown = "".join(f"<div><dd>{escape(value)}</dd><dt>{escape(name)}</dt></div>" for value, name in tiles)
    return f'<h1>{escape(title)}</h1><dl class="tiles">{shown}</dl>'


def _figures(summary: Summary, judged: Sequence[Judged]) -> str:
    bars = [Bar(verdict, count, verdict_class(verdict)) for verdict, count in summary.verdicts.items()]
    plots = [
        bar_chart(bars, "Verdicts"),
        log_histogram([it.result.cost for it in judged], "Wall time of the runs", _seconds),
        log_histogram([it.result.cpu_time for it in judged], "CPU time", _seconds),
        log_histogram([it.result.peak_memory_mb for it in judged], "Peak memory", _megabytes),
    ]
    return f'<section class="plots">{"".join(plots)}</section>'


def _slowest(summary: Summary) -> str:
    rows = "".join(
        f"<tr><td>{escape(it.id)}</td><td>{_seconds(it.result.cost)}</td><td>{_seconds(it.result.cpu_time)}</td>"
        f'<td><span class="{verdict_class(it.verdict)}">{it.verdict}</span></td></tr>'
        for it in summary.slowest
    )
    head = "<tr><th>Sample</th><th>Wall time</th><th>CPU time</th><th>Verdict</th></tr>"
    return f"<section><h2>Slowest</h2><table>{head}{rows}</table></section>" if rows else ""


def _listing(heading: str, remark: str, listed: Sequence[Judged]) -> str:
    if not listed:
        return ""
    shown = "".join(map(_item, listed[:MOST_LISTED]))
    more = f"<p>The first {MOST_LISTED} of {len(listed):,}.</p>" if len(listed) > MOST_LISTED else ""
    return f"<section><h2>{heading} ({len(listed):,})</h2>{remark}{shown}{more}</section>"


def _item(judged: Judged) -> str:
    result = judged.result
    number, test = next(
        ((number, it) for number, it in enumerate(result.tests or (), 1) if not it.verdict.success), (0, None)
    )
    streams = (("stdout", (test or result).stdout), ("stderr", (test or result).stderr))
    texts = "".join(f"<h3>{name}</h3><pre>{escape(text)}</pre>" for name, text in streams if text)
    where = f" at test {number}" if test else ""
    verdict = f'<span class="{verdict_class(judged.verdict)}">{judged.verdict}</span>'
    return (
        f"<details><summary>{escape(judged.id)} {verdict}{where}</summary>"
        f"{texts or '<p>It printed nothing.</p>'}</details>"
    )


def _seconds(value: float) -> str:
    return f"{_three_digits(value * 1000)} ms" if value < 1 else f"{_three_digits(value)} s"


def _megabytes(value: float) -> str:
    return f"{_three_digits(value)} MB"


def _three_digits(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
