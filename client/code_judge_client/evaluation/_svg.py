"""Plots as inline SVG, so that a report is one file that needs no network."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

WIDTH = 640
ROW_HEIGHT = 28
LABEL_WIDTH = 130
VALUE_WIDTH = 110
PLOT_HEIGHT = 160
AXIS_HEIGHT = 24
BINS_PER_DECADE = 6


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar of a bar chart."""

    label: str
    value: int
    css_class: str


def bar_chart(bars: Sequence[Bar], title: str) -> str:
    """Horizontal bars, each with its count and its share of all."""
    total = sum(bar.value for bar in bars)
    longest = max((bar.value for bar in bars), default=0)
    room = WIDTH - LABEL_WIDTH - VALUE_WIDTH
    parts = []
    for index, bar in enumerate(bars):
        middle = index * ROW_HEIGHT + ROW_HEIGHT / 2
        width = max(room * bar.value / longest, 1.0)
        told = f"{bar.value:,} ({bar.value / total:.1%})"
        parts.append(
            f'<text class="label" x="{LABEL_WIDTH - 8}" y="{middle + 4:.1f}">{escape(bar.label)}</text>'
            f'<rect class="{escape(bar.css_class)}" x="{LABEL_WIDTH}" y="{middle - 9:.1f}" '
            f'width="{width:.1f}" height="18" rx="2"/>'
            f'<text x="{LABEL_WIDTH + width + 8:.1f}" y="{middle + 4:.1f}">{told}</text>'
        )
    return _svg(title, len(bars) * ROW_HEIGHT, parts)


def log_histogram(values: Sequence[float], title: str, tell: Callable[[float], str]) -> str:
    """How often values of each size occur, by powers of ten; ``tell`` writes a value with its unit."""
    bins = Counter(math.floor(math.log10(value) * BINS_PER_DECADE) for value in values if value > 0)
    if not bins:
        return ""
    first = math.floor(min(bins) / BINS_PER_DECADE)
    last = math.ceil((max(bins) + 1) / BINS_PER_DECADE)
    width = WIDTH / ((last - first) * BINS_PER_DECADE)
    parts = [_column(bins, index, (index - first * BINS_PER_DECADE) * width, width, tell) for index in bins]
    for decade in range(first, last + 1):
        x = (decade - first) * BINS_PER_DECADE * width
        anchor = "start" if decade == first else "end" if decade == last else "middle"
        where = f'style="text-anchor:{anchor}" x="{x:.1f}" y="{PLOT_HEIGHT + 18}"'
        parts.append(
            f'<line class="axis" x1="{x:.1f}" x2="{x:.1f}" y1="0" y2="{PLOT_HEIGHT}"/>'
            f"<text {where}>{tell(10.0**decade)}</text>"
        )
    return _svg(title, PLOT_HEIGHT + AXIS_HEIGHT, parts, remark=f"highest column: {max(bins.values()):,}")


def _column(bins: Counter[int], index: int, x: float, width: float, tell: Callable[[float], str]) -> str:
    low, high = (10 ** (edge / BINS_PER_DECADE) for edge in (index, index + 1))
    height = PLOT_HEIGHT * bins[index] / max(bins.values())
    told = f"{tell(low)} to {tell(high)}: {bins[index]:,}"
    return (
        f'<rect class="column" x="{x + 0.5:.1f}" y="{PLOT_HEIGHT - height:.1f}" '
        f'width="{max(width - 1, 0.5):.1f}" height="{height:.1f}"><title>{escape(told)}</title></rect>'
    )


def _svg(title: str, height: float, parts: Sequence[str], remark: str = "") -> str:
    caption = f"<figcaption>{escape(title)} <small>{escape(remark)}</small></figcaption>"
    return (
        f'<figure>{caption}<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" '
        f'aria-label="{escape(title)}">{"".join(parts)}</svg></figure>'
    )
