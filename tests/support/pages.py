"""Reads the tables of the project's own pages, so that tests can hold them to the code."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def page(name: str) -> str:
    """The text of a page, by its path from the project's root."""
    return (ROOT / name).read_text()


def table(text: str, heading: str) -> dict[str, list[str]]:
    """The rows of the tables under a second-level heading: first cell → the others, without tables' heads."""
    section = text.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    rows = [re.split(r"\s*\|\s*", line.strip("| ")) for line in section.splitlines() if line.startswith("|")]
    return {row[0].strip("`"): row[1:] for row in rows if row[0].startswith("`")}
