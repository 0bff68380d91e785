"""The examples do what they say."""

import importlib.util
import subprocess
import sys
from types import ModuleType

import pytest

from tests.support.env_server import EnvServer
from tests.support.fake_judge import FakeJudge
from tests.support.pages import ROOT

pytestmark = pytest.mark.needs_openenv

EXAMPLES = ROOT / "examples"


def test_the_rollouts_come_in_groups_with_rewards(judge: FakeJudge) -> None:
    with EnvServer(judge.url, tasks=None) as server:
        command = [sys.executable, str(EXAMPLES / "openenv_rollouts.py"), server.url]
        done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[-1] == "12 rollouts, 36 steps"
    assert lines[0].startswith("echo-reversed: ")
    assert "1.00" in lines[0]


def imported(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_trls_environments_are_sessions_of_their_own(
    judge: FakeJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    with EnvServer(judge.url) as server:
        monkeypatch.setenv("CODE_JUDGE_ENV_URL", server.url)
        example = imported("openenv_trl")
        environments = [example.JudgeEnvironment() for _ in range(2)]
        for environment in environments:
            assert environment.reset(task_id="reverse", other="column") == "Print the line reversed."
        environments[0].run_python("x = 1")
        assert environments[0].run_python("print(x)") == "1\n"
        assert "NameError" in environments[1].run_python("x")
        assert environments[0].submit("print(input()[::-1])") == "passed 4 of 4 hidden tests\n"
        assert example.reward(environments=environments, prompts=[]) == [1.0, 0.0]
        with pytest.raises(ValueError, match="over"):
            environments[0].run_python("x")
        for environment in environments:
            environment._env.close()
