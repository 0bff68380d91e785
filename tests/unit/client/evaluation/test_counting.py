"""What an evaluation comes to: pass@k, counts, and the page that tells it."""

import math
from html.parser import HTMLParser
from itertools import combinations
from typing import Any

import pytest

from code_judge.contract import Result, TestResult, Verdict
from code_judge_client.evaluation import Judged, html_report, mean_pass_at_k, pass_at_k, summarise


def judged(
    name: str, verdict: Verdict, *, task: str = "t", right: bool | None = None, **fields: Any
) -> Judged:
    result = Result.of(name, verdict, **fields)
    return Judged(id=name, task=task, digest="d", expected_right=right, result=result)


# pass@k


@pytest.mark.parametrize(("samples", "passed"), [(5, 0), (5, 1), (5, 3), (5, 5), (7, 2)])
def test_pass_at_k_is_the_share_of_choices_with_a_passing_sample(samples: int, passed: int) -> None:
    outcomes = [True] * passed + [False] * (samples - passed)
    for k in range(1, samples + 1):
        choices = list(combinations(outcomes, k))
        assert math.isclose(pass_at_k(samples, passed, k), sum(map(any, choices)) / len(choices))


def test_pass_at_k_wants_k_samples() -> None:
    with pytest.raises(ValueError, match="pass@5 needs 5 samples"):
        pass_at_k(4, 1, 5)


def test_the_mean_is_over_tasks_and_for_k_that_all_have() -> None:
    assert mean_pass_at_k([(5, 5), (10, 0)]) == {1: 0.5, 5: 0.5}
    assert mean_pass_at_k([(1, 1), (10, 0)]) == {1: 0.5}


def test_tasks_of_which_nothing_is_known_do_not_count() -> None:
    assert mean_pass_at_k([(1, 1), (0, 0)]) == {1: 1.0}
    assert mean_pass_at_k([(0, 0)]) == {}


# Summary


def test_a_failure_of_the_judge_is_neither_right_nor_wrong() -> None:
    summary = summarise(
        [
            judged("a", Verdict.ACCEPTED, task="a"),
            judged("b", Verdict.INTERNAL_ERROR, task="b"),
            judged("c", Verdict.QUEUE_TIMEOUT, task="c"),
        ],
        missing=1,
    )
    assert (summary.samples, summary.judged, summary.passed, summary.unjudged) == (4, 1, 1, 3)
    assert summary.pass_at_k == {1: 1.0}


def test_flags_of_the_file_are_compared_with_the_verdicts() -> None:
    summary = summarise(
        [
            judged("a", Verdict.RAN, right=True),
            judged("b", Verdict.TIME_LIMIT, right=True),
            judged("c", Verdict.INTERNAL_ERROR, right=True),
            judged("d", Verdict.WRONG_ANSWER, right=False),
        ]
    )
    assert summary.flagged_right
    assert summary.flagged_right.rate == 0.5
    assert summary.flagged_wrong
    assert summary.flagged_wrong.rate == 0.0
    assert summarise([judged("a", Verdict.RAN)]).flagged_right is None


def test_verdicts_are_counted_and_the_slowest_named() -> None:
    results = [judged(str(n), Verdict.RAN, cost=n) for n in range(20)] + [judged("x", Verdict.TIME_LIMIT)]
    summary = summarise(results)
    assert summary.verdicts == {Verdict.RAN: 20, Verdict.TIME_LIMIT: 1}
    assert [it.id for it in summary.slowest] == [str(n) for n in range(19, 9, -1)]


def test_an_evaluation_of_nothing_comes_to_nothing() -> None:
    summary = summarise([])
    assert (summary.samples, summary.pass_at_k) == (0, {})
    assert "<h1>" in html_report("nothing", summary, [])


# The page


class Page(HTMLParser):
    """Its elements with their attributes, and its text."""

    VOID = ("meta", "rect", "line")

    def __init__(self, source: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.depth = 0
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self.depth += tag not in self.VOID

    def handle_endtag(self, tag: str) -> None:
        self.depth -= tag not in self.VOID

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


NASTY = "</pre><script>alert(1)</script><img src=x onerror=y>"


def page() -> Page:
    results = [
        judged("good", Verdict.ACCEPTED, cost=0.02, cpu_time=0.01, peak_memory_mb=9),
        judged(NASTY, Verdict.WRONG_ANSWER, cost=2.5, stdout=NASTY, stderr=NASTY),
        judged("lost", Verdict.INTERNAL_ERROR, stderr="took three nodes down"),
        judged(
            "tested",
            Verdict.WRONG_ANSWER,
            tests=[
                TestResult(verdict=Verdict.ACCEPTED),
                TestResult(verdict=Verdict.WRONG_ANSWER, stdout="no"),
            ],
        ),
    ]
    return Page(html_report(NASTY, summarise(results), results))


def test_the_page_is_whole_and_fetches_and_runs_nothing() -> None:
    seen = page()
    assert seen.depth == 0
    assert {tag for tag, _ in seen.elements} & {"script", "img", "link", "iframe", "object"} == set()
    for _, attributes in seen.elements:
        assert not {name for name in attributes if name.startswith("on") or name in ("src", "href")}


def test_the_page_tells_what_a_person_looks_for() -> None:
    text = page().text
    for told in (
        "pass@1",
        "1 of 3",
        "not judged",
        "wrong_answer",
        "took three nodes down",
        "at test 2",
        "2.5 s",
    ):
        assert told in text
    assert NASTY in text


def test_the_page_plots_verdicts_and_times() -> None:
    plots = [attributes["aria-label"] for tag, attributes in page().elements if tag == "svg"]
    assert plots == ["Verdicts", "Wall time of the runs", "CPU time", "Peak memory"]


def test_what_is_otherwise_than_its_file_says_is_listed() -> None:
    results = [
        judged("a", Verdict.ACCEPTED, right=True),
        judged("b", Verdict.ACCEPTED, right=False),
        judged("c", Verdict.WRONG_ANSWER, right=True),
        judged("d", Verdict.INTERNAL_ERROR, right=True),
    ]
    text = Page(html_report("flagged", summarise(results), results)).text
    section = text.split("Otherwise than flagged (2)")[1].split("Not passed")[0]
    assert "b accepted" in section
    assert "c wrong_answer" in section


def test_a_long_list_of_failures_is_cut_on_the_page() -> None:
    results = [judged(str(n), Verdict.WRONG_ANSWER) for n in range(500)]
    seen = Page(html_report("long", summarise(results), results))
    assert sum(tag == "details" for tag, _ in seen.elements) == 200
    assert "The first 200 of 500." in seen.text
