"""Which template a Python program should start from: the smallest that has its expensive imports.

The source is hostile, and ``ast.parse`` of a hostile source takes seconds, gigabytes or the process. So it
is scanned by its tokens' shape, line by line and with a cap; strings and comments are skipped by the same
scan. A wrong guess costs time only, never a verdict: what a template lacks, the program imports itself.
"""

import re

MAX_SCANNED_CHARACTERS = 200_000
"""Imports stand near the top; what a longer source imports later is imported cold."""

# Every alternative takes what it looked at, closed or not, and never gives any back (``*+``): so the scan is
# linear in the source, however hostile.
_TOKEN = re.compile(
    r"""
    (?P<skip> \#[^\n]*+
      | \"{3}(?:[^\\"]++|\\.|\"(?!\"\"))*+(?:\"{3})?
      | \'{3}(?:[^\\']++|\\.|\'(?!\'\'))*+(?:\'{3})?
      | \"(?:[^\\"\n]++|\\.)*+\"?
      | \'(?:[^\\'\n]++|\\.)*+\'? )
    | (?:^|(?<=[;:\n])) [ \t]*+
      (?: from[ \t]++(?P<source>\w++)[\w.]*+[ \t]++import\b
        | import[ \t]++(?P<names>[\w.]++(?:[ \t]++as[ \t]++\w++)?+
            (?:[ \t]*+,[ \t]*+[\w.]++(?:[ \t]++as[ \t]++\w++)?+)*+) )
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)


def imported_packages(source: str) -> set[str]:
    """Top-level names that ``source`` imports, as far as a bounded scan can tell."""
    found = set()
    for match in _TOKEN.finditer(source[:MAX_SCANNED_CHARACTERS]):
        if match["source"]:
            found.add(match["source"])
        elif match["names"]:
            for name in match["names"].split(","):
                found.add(name.split()[0].partition(".")[0])
    return found


def choose_template(source: str, templates: dict[str, frozenset[str]], costly: frozenset[str]) -> str:
    """The smallest template that covers the costly imports, or the one that covers most of them."""
    wanted = imported_packages(source) & costly
    return min(templates, key=lambda name: (len(wanted - templates[name]), len(templates[name])))
