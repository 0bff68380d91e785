"""The figures that benchmarks print are what they are called."""

import json
from pathlib import Path

import pytest

from benchmarks._common import Report, Spread, cell_text, percentile, ratio


@pytest.mark.parametrize(
    ("percent", "expected"), [(50, 50.0), (95, 95.0), (99, 99.0), (100, 100.0), (0, 1.0), (50.1, 51.0)]
)
def test_a_percentile_is_the_value_that_so_many_do_not_exceed(percent: float, expected: float) -> None:
    assert percentile([float(value) for value in range(100, 0, -1)], percent) == expected


def test_every_percentile_of_one_value_is_that_value() -> None:
    assert [percentile([7.0], percent) for percent in (0, 50, 99, 100)] == [7.0] * 4


def test_nothing_measured_has_no_percentile() -> None:
    with pytest.raises(ValueError, match="nothing was measured"):
        percentile([], 50)


def test_a_spread_has_the_median_and_the_range() -> None:
    assert Spread.of([3.0, 1.0, 2.0, 10.0]) == Spread(median=2.5, low=1.0, high=10.0)


def test_a_ratio_compares_within_rounds_and_not_across_them() -> None:
    # The second round met a machine ten times slower: both sides did.
    assert ratio([100.0, 10.0], [50.0, 5.0]) == Spread(2.0, 2.0, 2.0)


def test_there_is_no_ratio_to_nothing() -> None:
    assert ratio([1.0, 2.0], [1.0, 0.0]) is None


def test_rounds_of_different_number_are_not_compared() -> None:
    with pytest.raises(ValueError):
        ratio([1.0, 2.0], [1.0])


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (None, ""),
        ("trivial", "trivial"),
        (12, "12"),
        (0.0, "0"),
        (0.01234, "0.0123"),
        (1.0, "1.00"),
        (64.26, "64.3"),
        (1303.7, "1,304"),
        (Spread(2.0, 1.5, 12.0), "2.00 (1.50–12.0)"),
        (Spread(2.0, 2.0, 2.0), "2.00"),
    ],
)
def test_people_see_three_digits(cell: Spread | float | str | None, text: str) -> None:
    assert cell_text(cell) == text


REPORT = Report(
    "a benchmark",
    [{"program": "trivial", "runs/s": Spread(2.0, 1.5, 12.3456), "ratio": None}],
    arguments={"json": Path("out.json")},
    conditions={"time": "now", "cores": 2},
)


def test_columns_without_any_figure_are_not_shown() -> None:
    assert [column.header for column in REPORT.table().columns] == ["program", "runs/s"]


def test_the_json_has_every_figure_unrounded_and_the_conditions(tmp_path: Path) -> None:
    REPORT.emit(tmp_path / "out.json")

    document = json.loads((tmp_path / "out.json").read_text())
    assert document["rows"] == [
        {"program": "trivial", "runs/s": {"median": 2.0, "low": 1.5, "high": 12.3456}, "ratio": None}
    ]
    assert document["conditions"] == {"time": "now", "cores": 2}
