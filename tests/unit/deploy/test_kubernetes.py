"""The manifests fit Kubernetes's published schemas, one another, and the processes that they start."""

from pathlib import Path
from typing import Any

import kubernetes_validate  # type: ignore[import-untyped]
import pytest
import yaml

from code_judge.metrics.families import FAMILIES
from code_judge.settings import SandboxChoice, Settings
from tests.support.drain_time import longest_drain_s

FOLDER = Path(__file__).parents[3] / "deploy" / "kubernetes"
FILES = sorted(FOLDER.glob("*.yaml"))
VERSIONS = ["1.28", kubernetes_validate.latest_version()]
"""The oldest that the manifests are for, and the latest that the schemas are known of."""
TIERS = [tier for tier in SandboxChoice if tier is not SandboxChoice.AUTO]


def objects(file: Path) -> list[dict[str, Any]]:
    return [each for each in yaml.safe_load_all(file.read_text()) if each]


def pods(file: Path) -> list[dict[str, Any]]:
    return [each["spec"]["template"] for each in objects(file) if "template" in each.get("spec", {})]


def worker(tier: SandboxChoice) -> dict[str, Any]:
    [pod] = pods(FOLDER / f"worker-{tier}.yaml")
    return pod


def environment(container: dict[str, Any]) -> dict[str, str]:
    return {each["name"]: each.get("value", "1") for each in container.get("env", [])}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_manifest_fits_the_published_schema(file: Path, version: str) -> None:
    for each in objects(file):
        kubernetes_validate.validate(each, version, strict=True)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_selectors_select_what_their_file_makes(file: Path) -> None:
    labels = [pod["metadata"]["labels"] for pod in pods(file)]
    for each in objects(file):
        selector = each["spec"].get("selector") if labels and "spec" in each else None
        if selector:
            wanted = selector.get("matchLabels", selector)
            assert any(wanted.items() <= has.items() for has in labels), each["metadata"]["name"]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_only_settings_that_there_are_are_set(file: Path) -> None:
    for pod in pods(file):
        for container in pod["spec"]["containers"]:
            if container["name"] in ("master", "worker"):
                names = set(environment(container)) - {"MASTER_PROCESSES"}
                assert names <= {name.upper() for name in Settings.model_fields}


@pytest.mark.parametrize("tier", TIERS)
def test_a_worker_file_insists_on_the_tier_that_it_is_named_after(tier: SandboxChoice) -> None:
    [container] = worker(tier)["spec"]["containers"]

    assert environment(container)["SANDBOX"] == tier
    assert f"Sandbox tier: {tier}" in (FOLDER / f"worker-{tier}.yaml").read_text()


def test_each_tier_has_the_rights_that_it_needs_and_no_more() -> None:
    def rights(tier: SandboxChoice) -> tuple[Any, ...]:
        spec = worker(tier)["spec"]
        context = spec["containers"][0]["securityContext"]
        user = spec.get("securityContext", {}).get("runAsUser", 0)
        added = context.get("capabilities", {}).get("add", [])
        return user == 0, context.get("privileged", False), bool(added)

    assert rights(SandboxChoice.BARE) == (False, False, False)
    assert rights(SandboxChoice.UIDS) == (True, False, True)
    assert rights(SandboxChoice.NAMESPACES) == (True, True, False)


@pytest.mark.parametrize("tier", TIERS)
def test_a_node_may_drain_before_it_is_killed(tier: SandboxChoice) -> None:
    spec = worker(tier)["spec"]
    grace_s = float(environment(spec["containers"][0])["WORKER_GRACE_TIME"])

    assert spec["terminationGracePeriodSeconds"] > longest_drain_s(grace_s)


def test_a_master_may_answer_what_it_owes_before_it_is_killed() -> None:
    [pod] = pods(FOLDER / "master.yaml")
    [container] = pod["spec"]["containers"]
    waits_s = float(container["lifecycle"]["preStop"]["exec"]["command"][1])

    assert pod["spec"]["terminationGracePeriodSeconds"] > waits_s + 5 + float(
        environment(container)["MASTER_GRACE_TIME"]
    )


def test_the_autoscaler_looks_at_a_figure_that_there_is_and_at_its_labels() -> None:
    [scaler] = objects(FOLDER / "worker-hpa.yaml")
    metric = scaler["spec"]["metrics"][0]["external"]["metric"]
    [family] = [family for family in FAMILIES if family.name == metric["name"]]

    assert {match["key"] for match in metric["selector"]["matchExpressions"]} <= set(family.labels)
