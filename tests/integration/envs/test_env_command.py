"""``code-judge env`` as people start it, with a whole real judge."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from code_judge_cli.exit_codes import CliExit
from tests.support.command import CODE_JUDGE, Command
from tests.support.env_wire import wire

pytestmark = [pytest.mark.needs_openenv, pytest.mark.needs_redis]

QUICK = {"WARM_TEMPLATES": ";", "MAX_WORKERS": "2", "LOG_LEVEL": "ERROR"}


@pytest.fixture
def env(tmp_path: Path) -> Iterator[Command]:
    with Command(tmp_path, *CODE_JUDGE, "env", "--port", "0", **QUICK) as command:
        yield command


def url_of(env: Command) -> str:
    return next(word for word in env.hear("Uvicorn running on").split() if word.startswith("http"))


async def test_one_command_serves_an_environment_with_a_judge_and_leaves_nothing_behind(env: Command) -> None:
    async with wire(url_of(env)) as session:
        await session.reset(task_id="second-largest")
        await session.step("numbers = [3, 1, 2]")
        assert (await session.step("sorted(numbers)[-2]"))["observation"]["stdout"] == "2\n"
        answer = (
            "def second_largest(numbers):\n    return dict(enumerate(sorted(set(numbers))[-2::-1])).get(0)"
        )
        assert (await session.step(answer, submit=True))["reward"] == 1.0
    env.signal(signal.SIGTERM)
    env.wait()
    assert env.leftovers() == []


async def test_a_killed_server_takes_its_judge_along(env: Command) -> None:
    url_of(env)
    env.signal(signal.SIGKILL)
    env.wait()
    assert [entry for entry in env.leftovers() if isinstance(entry, psutil.Process)] == []


async def test_a_server_whose_judge_has_ended_ends_too(env: Command) -> None:
    url_of(env)
    family = env.family()
    [judge] = [child for child in family if "up" in child.cmdline()]
    os.kill(judge.pid, signal.SIGKILL)
    env.hear("the judge beside the environment has ended")
    env.wait()
    _, alive = psutil.wait_procs(family, timeout=60)
    assert alive == []


def test_a_bad_setting_stops_the_start_and_is_named(tmp_path: Path) -> None:
    with Command(tmp_path, *CODE_JUDGE, "env", "--port", "0", STEP_TIMEOUT="soon") as command:
        assert command.wait() == 3
        assert command.hear("STEP_TIMEOUT='soon'")


def test_without_openenv_the_command_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from code_judge_cli import env_command, main

    monkeypatch.setattr(env_command, "find_spec", lambda _: None)
    assert main.run(["env"]) == CliExit.USAGE
    assert "pip install 'code-judge[openenv]'" in capsys.readouterr().err
