"""What a node's plan leaves behind."""

import sys
import tempfile
from pathlib import Path

import pytest

from code_judge.settings import Settings
from code_judge_workers.sandbox.outcome import SandboxSetupError
from code_judge_workers.sandbox.plan import Plan


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return Settings.from_env({}, python_executor_path=sys.executable, sandbox="namespaces")


def _probed(namespaces: str) -> dict[str, str]:
    return {"namespaces": namespaces, "uids": "", "seccomp": "", "landlock": ""}


def test_a_plan_that_does_not_hold_leaves_no_folder(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Plan, "_probe", lambda _: _probed("refused"))

    with pytest.raises(SandboxSetupError, match="refused"):
        Plan(settings)

    assert list(tmp_path.iterdir()) == []


def test_a_closed_plan_leaves_no_folder(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Plan, "_probe", lambda _: _probed(""))
    plan = Plan(settings)
    assert len(list(tmp_path.iterdir())) == 1

    plan.close()

    assert list(tmp_path.iterdir()) == []
