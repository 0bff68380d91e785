"""compose.yaml and the Dockerfiles fit one another and the processes that they start."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from code_judge.settings import Settings
from tests.support.drain_time import longest_drain_s

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "deploy" / "docker"
SERVICES: dict[str, dict[str, Any]] = yaml.safe_load((FOLDER / "compose.yaml").read_text())["services"]


def seconds(text: str) -> float:
    return float(text.removesuffix("s"))


@pytest.mark.parametrize("name", ["master", "worker"])
def test_an_image_is_built_from_a_file_that_there_is(name: str) -> None:
    build = SERVICES[name]["build"]

    assert (FOLDER / build["context"]).resolve() == ROOT
    assert (ROOT / build["dockerfile"]).is_file()


@pytest.mark.parametrize("name", ["master", "worker"])
def test_only_settings_that_there_are_are_set(name: str) -> None:
    dockerfile = (FOLDER / f"{name}.Dockerfile").read_text()
    baked = re.findall(r"([A-Z_]+)=", "\n".join(re.findall(r"^ENV (.*)$", dockerfile, re.MULTILINE)))
    names = {*SERVICES[name]["environment"], *baked} - {"MASTER_PROCESSES"}

    assert names <= {field.upper() for field in Settings.model_fields}


def test_a_node_may_drain_before_it_is_killed() -> None:
    grace_s = float(SERVICES["worker"]["environment"]["WORKER_GRACE_TIME"])

    assert seconds(SERVICES["worker"]["stop_grace_period"]) > longest_drain_s(grace_s)


def test_a_master_may_answer_what_it_owes_before_it_is_killed() -> None:
    grace_s = float(SERVICES["master"]["environment"]["MASTER_GRACE_TIME"])

    assert seconds(SERVICES["master"]["stop_grace_period"]) > grace_s + 5


def test_redis_and_nodes_are_not_to_be_reached_from_outside() -> None:
    for name in ("redis", "worker"):
        assert SERVICES[name]["networks"] == ["inside"]
        assert "ports" not in SERVICES[name]


@pytest.mark.parametrize("file", sorted(FOLDER.glob("compose*.yaml")), ids=lambda file: file.name)
def test_a_file_says_which_tier_its_nodes_have(file: Path) -> None:
    tier = yaml.safe_load(file.read_text())["services"]["worker"]["environment"]["SANDBOX"]

    assert f"Sandbox tier: {tier}" in file.read_text()
