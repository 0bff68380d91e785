"""Every expression of the dashboard, the alerts and the docs parses, and asks for figures that there are."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import promql_parser
import pytest
import yaml

from code_judge.metrics import Histogram
from code_judge.metrics.families import FAMILIES, Gauge
from tests.support.pages import page

DEPLOY = Path(__file__).parents[3] / "deploy"
ALERTS = yaml.safe_load((DEPLOY / "prometheus" / "alerts.yaml").read_text())["groups"][0]["rules"]
DASHBOARD = json.loads((DEPLOY / "grafana" / "code-judge.json").read_text())
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
TARGET_LABELS = {"instance", "job"}
"""What Prometheus itself adds to each series."""
GRAFANA_INTERVAL = "$__rate_interval"


def exported() -> dict[str, set[str]]:
    """Every series that /metrics can have, with its labels."""
    series: dict[str, set[str]] = {}
    for family in FAMILIES:
        labels = set(family.labels) | TARGET_LABELS
        if isinstance(family, Histogram):
            series |= {f"{family.name}_bucket": labels | {"le"}}
            series |= {f"{family.name}_sum": labels, f"{family.name}_count": labels}
        else:
            series[family.name] = labels
    return series


EXPORTED = exported()
IN_DOCS = re.findall(r"\| `([^`]*code_judge[^`]*\([^`]*)` \|", page("docs/metrics.md"))
EXPRESSIONS = [
    *(pytest.param(rule["expr"], id=rule["alert"]) for rule in ALERTS),
    *(
        pytest.param(target["expr"], id=f"{panel['title']} {target['refId']}")
        for panel in PANELS
        for target in panel["targets"]
    ),
    *(pytest.param(text, id=f"docs {number}") for number, text in enumerate(IN_DOCS)),
]


def parsed(text: str) -> Any:
    return promql_parser.parse(text.replace(GRAFANA_INTERVAL, "5m"))


def nodes(expression: Any) -> Iterator[Any]:
    """An expression and all within it."""
    yield expression
    for name in ("expr", "lhs", "rhs", "vector_selector"):
        part = getattr(expression, name, None)
        if part is not None:
            yield from nodes(part)
    for part in getattr(expression, "args", None) or []:
        yield from nodes(part)


def selectors(expression: Any) -> list[Any]:
    return [node for node in nodes(expression) if type(node).__name__ == "VectorSelector"]


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_an_expression_parses_and_asks_for_series_that_there_are(text: str) -> None:
    found = selectors(parsed(text))

    assert found
    for selector in found:
        assert selector.name in EXPORTED
        wanted = {matcher.name for matcher in selector.matchers.matchers}
        assert wanted <= EXPORTED[selector.name], selector.name


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_an_expression_groups_by_labels_that_its_series_have(text: str) -> None:
    for node in nodes(parsed(text)):
        if type(node).__name__ == "AggregateExpr" and node.modifier is not None:
            labels = set(node.modifier.labels)
            for selector in selectors(node.expr):
                assert labels <= EXPORTED[selector.name], (selector.name, labels)


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_a_rate_is_of_something_that_only_grows(text: str) -> None:
    gauges = {family.name for family in FAMILIES if isinstance(family, Gauge)}
    for node in nodes(parsed(text)):
        if type(node).__name__ == "Call" and node.func.name in ("rate", "increase"):
            assert not gauges & {selector.name for selector in selectors(node)}


@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: panel["title"])
def test_a_legend_names_labels_that_its_series_have(panel: dict[str, Any]) -> None:
    for target in panel["targets"]:
        named = set(re.findall(r"{{(\w+)}}", target["legendFormat"]))
        for selector in selectors(parsed(target["expr"])):
            assert named <= EXPORTED[selector.name]


def test_the_dashboard_shows_every_family() -> None:
    shown = {
        re.sub(r"_(bucket|sum|count)$", "", selector.name)
        for panel in PANELS
        for target in panel["targets"]
        for selector in selectors(parsed(target["expr"]))
    }

    assert shown == {family.name for family in FAMILIES}


@pytest.mark.parametrize("rule", ALERTS, ids=lambda rule: rule["alert"])
def test_an_alert_says_what_is_wrong_and_what_to_do(rule: dict[str, Any]) -> None:
    assert rule["labels"]["severity"] in ("page", "ticket")
    assert set(rule["annotations"]) == {"summary", "action"}
