"""Reads a file of samples, whatever its format."""

import gzip
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ._sample import Sample, SampleError
from .adapters import ADAPTERS, Row, adapter_for, task_of, without_programs


class SamplesFileError(Exception):
    """Raised where a file cannot be read as samples; names the file and the line."""


def read_samples(
    file: Path, *, problems: Path | None = None, format_name: str | None = None
) -> Iterator[Sample]:
    """The samples of a JSON-lines file, which may be gzipped, in its order.

    ``problems`` is the dataset's own file, where the samples have only their task's name and their program.
    ``format_name`` is a name of ADAPTERS; None finds it from each line's fields. Raises SamplesFileError.
    """
    known = _problems_by_task(problems) if problems else {}
    ids: Counter[str] = Counter()
    for number, row in _rows(file):
        try:
            for sample in _samples(row, known, format_name, f"line {number}"):
                ids[sample.id] += 1
                yield replace(sample, id=f"{sample.id}#{ids[sample.id]}") if ids[sample.id] > 1 else sample
        except SampleError as error:
            raise SamplesFileError(f"{file}, line {number}: {error}") from None
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            told = f"a field is not as its format has it: {error!r}"
            raise SamplesFileError(f"{file}, line {number}: {told}") from None


def _samples(
    row: Row, known: Mapping[str, Row], format_name: str | None, otherwise_named: str
) -> Iterator[Sample]:
    task = task_of(row) or otherwise_named
    if task in known:
        row = {**without_programs(known[task]), **row}
    adapter = ADAPTERS[format_name] if format_name else adapter_for(row)
    right = row.get("right")
    for submission in adapter.submissions(row):
        yield Sample(
            id=str(row.get("id", task)),
            task=task,
            submission=submission,
            expected_right=right if isinstance(right, bool) else None,
        )


def _problems_by_task(file: Path) -> dict[str, Row]:
    problems: dict[str, Row] = {}
    for number, row in _rows(file):
        task = task_of(row)
        if task is None:
            raise SamplesFileError(f"{file}, line {number}: a problem needs a task_id")
        problems[task] = row
    return problems


def _rows(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        with gzip.open(file) if file.suffix == ".gz" else file.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield number, _row(file, number, line)
    except OSError as error:  # a damaged gzip file, too
        raise SamplesFileError(f"cannot read {file}: {error}") from None


def _row(file: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise SamplesFileError(f"{file}, line {number}: not JSON: {error}") from None
    if not isinstance(row, dict):
        raise SamplesFileError(f"{file}, line {number}: not a JSON object")
    return row
