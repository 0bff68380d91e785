"""The families keep Prometheus's own rules, and the page lists them as they are."""

import re

import pytest

from code_judge.metrics import Counter, Gauge, Histogram
from code_judge.metrics.families import FAMILIES, Family
from tests.support.pages import page, table

HEADINGS = {Counter: "Counters", Histogram: "Histograms", Gauge: "Gauges"}


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_a_name_says_whose_it_is_and_what_it_counts(family: Family) -> None:
    assert re.fullmatch(r"code_judge_[a-z_]+", family.name)
    assert family.name.endswith("_total") == isinstance(family, Counter)
    assert not {"le", "instance", "job"} & set(family.labels)


def test_no_name_is_there_twice() -> None:
    assert len({family.name for family in FAMILIES}) == len(FAMILIES)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_buckets_ascend(family: Family) -> None:
    if isinstance(family, Histogram):
        assert list(family.bounds) == sorted(set(family.bounds))


@pytest.mark.parametrize("kind", HEADINGS, ids=HEADINGS.get)
def test_every_family_is_documented_and_no_other(kind: type) -> None:
    documented = {
        name: (re.findall(r"`(\w+)`", row[0]), row[1])
        for name, row in table(page("docs/metrics.md"), HEADINGS[kind]).items()
    }

    assert documented == {
        family.name: (list(family.labels), family.help) for family in FAMILIES if type(family) is kind
    }
