"""``openenv validate``, as OpenEnv's hub runs it: on the folder, and on a running server."""

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml

import code_judge_env
from tests.support.env_server import EnvServer

pytestmark = pytest.mark.needs_openenv

FOLDER = Path(code_judge_env.__file__).parent
OPENENV = (sys.executable, "-m", "openenv.cli")


def validate(*arguments: str) -> str:
    """What it prints, once it has ended with 0."""
    done = subprocess.run(
        [*OPENENV, "validate", *arguments], capture_output=True, text=True, check=False, timeout=100
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_folder_is_valid() -> None:
    assert "PASS" in validate(str(FOLDER), "--level", "static")


def test_the_running_server_passes_all_six_checks(server: EnvServer) -> None:
    told = validate("--url", server.url)
    assert "FAIL" not in told
    for check in (
        "openapi_version_available",
        "health_endpoint",
        "metadata_endpoint",
        "schema_endpoint",
        "mcp_endpoint",
        "mode_endpoint_consistency",
    ):
        assert check in told


def test_the_folder_has_what_openenvs_tools_look_for() -> None:
    of_package = "README.md __init__.py client.py models.py openenv.yaml pyproject.toml"
    of_server = "server/__init__.py server/app.py server/Dockerfile"
    assert [name for name in f"{of_package} {of_server}".split() if not (FOLDER / name).exists()] == []
    front_matter = yaml.safe_load((FOLDER / "README.md").read_text().split("---\n")[1])
    assert front_matter["sdk"] == "docker"
    assert front_matter["app_port"] == yaml.safe_load((FOLDER / "openenv.yaml").read_text())["port"]
    assert "openenv" in front_matter["tags"]


def test_the_installed_openenv_is_one_that_we_say_we_support() -> None:
    release = tuple(int(part) for part in version("openenv").split(".")[:2])
    assert (0, 5) <= release < (0, 11)
