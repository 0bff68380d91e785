"""What the datasets' formats have in common."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from .._sample import SampleError

Row = Mapping[str, Any]
"""One line of a samples file."""

PROGRAM_FIELDS = ("completion", "generation", "solution", "code")
"""Where a row has its program, in the order of preference."""
PROGRAMS_FIELDS = ("completions", "generations", "code_list", "solutions")
"""Where a row has several."""
TASK_FIELDS = ("task_id", "question_id", "problem_id", "name", "id")
"""Where a row says which problem it is about."""

_FENCE = re.compile(r"^```[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)


def task_of(row: Row) -> str | None:
    """The problem's name; None where the row has none."""
    for name in TASK_FIELDS:
        if row.get(name) is not None:
            return str(row[name])
    return None


def given_programs(row: Row) -> list[str]:
    """The programs to judge, as they stand; empty where the row brings none. Raises SampleError."""
    for name in PROGRAM_FIELDS:
        if isinstance(row.get(name), str):
            return [row[name]]
    for name in PROGRAMS_FIELDS:
        programs = parsed(row, name)
        if isinstance(programs, list) and all(isinstance(it, str) for it in programs):
            return programs
    return []


def without_programs(row: Row) -> Row:
    """A problem's row without the programs that come with it: the samples' are to be judged."""
    return {name: value for name, value in row.items() if name not in PROGRAM_FIELDS + PROGRAMS_FIELDS}


def whole_programs(row: Row) -> Iterator[str]:
    """The same, each without the prose that a model wrote around it: the last fenced block, where there is
    one. Raises SampleError where the row brings none."""
    programs = given_programs(row)
    if not programs:
        names = ", ".join(PROGRAM_FIELDS + PROGRAMS_FIELDS)
        raise SampleError(f"no program: one of these fields should have it: {names}")
    for program in programs:
        blocks = _FENCE.findall(program)
        yield blocks[-1] if blocks else program


def parsed(row: Row, name: str) -> Any:
    """A field that some copies of a dataset keep as JSON within JSON. Raises SampleError."""
    value = row.get(name)
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value) if value else None
    except ValueError as error:
        raise SampleError(f"{name} is not JSON: {error}") from None


def as_text(value: Any) -> str:
    """A test's input or output: text, or a list of lines."""
    return value if isinstance(value, str) else "\n".join(str(line) for line in value)
