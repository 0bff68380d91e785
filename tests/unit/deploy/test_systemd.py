"""systemd takes the units as they are, and they fit the processes that they start."""

import shutil
import subprocess
from pathlib import Path

import pytest

from code_judge.settings import Settings
from code_judge_workers.exit_codes import NodeExit
from tests.support.drain_time import longest_drain_s
from tests.support.systemd_unit import INSTALLED, Unit

FOLDER = Path(__file__).parents[3] / "deploy" / "systemd"
MASTER = Unit.read(FOLDER / "code-judge-master@.service", instance="8088")
WORKER = Unit.read(FOLDER / "code-judge-worker.service")
UNITS = {"code-judge-master@8088.service": MASTER, "code-judge-worker.service": WORKER}
MOST_EXPOSED = {"code-judge-master@8088.service": 20}
"""In tenths of the exposure that ``systemd-analyze security`` computes, from 0 to 10. The worker is left
out: who builds sandboxes needs rights."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A file system in which the units are installed, as far as systemd-analyze looks."""
    units = tmp_path / "etc/systemd/system"
    units.mkdir(parents=True)
    for file in FOLDER.iterdir():
        shutil.copy(file, units)
    shutil.copytree("/usr/lib/systemd/system", tmp_path / "usr/lib/systemd/system", symlinks=True)
    programs = tmp_path / INSTALLED.strip("/")
    programs.mkdir(parents=True)
    for unit in UNITS.values():
        program = programs / Path(unit.settings["Service", "ExecStart"][0].split()[0]).name
        program.touch(mode=0o755)
    return tmp_path


def analyze(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["systemd-analyze", *words, f"--root={root}"], capture_output=True, text=True, check=False
    )


@pytest.mark.needs_systemd_analyze
@pytest.mark.parametrize("name", UNITS)
def test_systemd_finds_nothing_to_say_about_a_unit(root: Path, name: str) -> None:
    said = analyze(root, "verify", name)

    assert (said.returncode, said.stdout + said.stderr) == (0, "")


@pytest.mark.needs_systemd_analyze
@pytest.mark.parametrize("name", MOST_EXPOSED)
def test_a_unit_that_needs_no_rights_has_none(root: Path, name: str) -> None:
    said = analyze(root, "security", "--offline=true", f"--threshold={MOST_EXPOSED[name]}", name)

    assert said.returncode == 0, said.stdout


def test_systemd_waits_for_a_node_longer_than_its_drain_can_take() -> None:
    grace_s = float(WORKER.environment["WORKER_GRACE_TIME"])

    assert float(*WORKER.words("TimeoutStopSec")) > longest_drain_s(grace_s)


def test_systemd_waits_for_a_master_longer_than_its_grace_time() -> None:
    assert float(*MASTER.words("TimeoutStopSec")) > float(MASTER.environment["MASTER_GRACE_TIME"]) + 5


def test_a_node_that_cannot_start_is_not_started_again() -> None:
    assert WORKER.words("RestartPreventExitStatus") == [
        str(int(code)) for code in (NodeExit.BAD_SETTINGS, NodeExit.NO_SANDBOX)
    ]
    assert WORKER.words("SuccessExitStatus") == [str(int(NodeExit.FORCED))]


@pytest.mark.parametrize("name", UNITS)
def test_only_settings_that_there_are_are_set(name: str) -> None:
    ours = {"MASTER_PROCESSES"}  # the unit's own

    assert set(UNITS[name].environment) - ours <= {field.upper() for field in Settings.model_fields}
    Settings.from_env(UNITS[name].environment)


def test_the_node_may_make_cgroups() -> None:
    assert {"memory", "pids"} <= set(WORKER.words("Delegate"))


def test_only_the_node_is_told_to_stop_and_not_its_programs() -> None:
    assert WORKER.words("KillMode") == ["mixed"]
