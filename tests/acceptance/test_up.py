"""``code-judge up``, ``run`` and the demo as people start them."""

import signal
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import psutil
import pytest

from code_judge_cli.exit_codes import CliExit
from tests.integration.sandbox.attacks.node import node_cgroups
from tests.support.command import CODE_JUDGE, PATIENCE_S, Command, until
from tests.support.pages import ROOT

pytestmark = pytest.mark.needs_redis

NO_WARM_LIBRARIES = {"WARM_TEMPLATES": ";"}
"""So that the tests need not wait for libraries that they do not use."""


def url_of(up: Command) -> str:
    """Where it can be reached, once it can be."""
    return up.hear("is running at").rsplit(maxsplit=1)[-1]


def ask(url: str, source: str, **fields: object) -> dict[str, object]:
    submission = {"type": "python", "solution": source, **fields}
    answer = httpx.post(f"{url}/run?detail=full", json=submission, timeout=60)
    found: dict[str, object] = answer.raise_for_status().json()
    return found


@pytest.fixture
def up(tmp_path: Path) -> Iterator[Command]:
    with Command(tmp_path, *CODE_JUDGE, "up", "--port", "0", MAX_WORKERS="2", **NO_WARM_LIBRARIES) as command:
        yield command


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_up_judges_and_leaves_nothing_behind(up: Command, number: signal.Signals) -> None:
    result = ask(url_of(up), "print(input()[::-1])", input="abc")
    assert (result["verdict"], result["stdout"]) == ("ran", "cba\n")
    assert "protected" in "".join(up.out).lower(), "it must say what stands around the programs"

    up.signal(number)

    assert up.wait() == CliExit.OK
    assert up.leftovers() == []


def test_a_second_ctrl_c_does_not_wait_for_what_runs(tmp_path: Path) -> None:
    patient = {"MASTER_GRACE_TIME": "600", "WORKER_GRACE_TIME": "600", "MAX_EXECUTION_TIME": "600"}
    argv = (*CODE_JUDGE, "up", "--port", "0")
    with Command(tmp_path, *argv, **patient, **NO_WARM_LIBRARIES) as up, ThreadPoolExecutor(1) as pool:
        url = url_of(up)
        caller = pool.submit(ask, url, "import time; time.sleep(600)")
        until(lambda: httpx.get(f"{url}/cluster").json()["busy"] == 1, "it runs")

        up.signal(signal.SIGINT)
        up.hear("draining")
        up.signal(signal.SIGINT)

        assert up.wait() == CliExit.OK
        assert up.leftovers() == []
        assert isinstance(caller.exception(), httpx.HTTPError)


def test_the_children_of_a_killed_up_leave_too(up: Command) -> None:
    url_of(up)

    up.signal(signal.SIGKILL)
    up.wait()

    left = up.leftovers()
    assert [entry for entry in left if isinstance(entry, psutil.Process)] == []


def test_a_killed_launcher_costs_no_run_and_leaves_nothing_behind(up: Command) -> None:
    url = url_of(up)
    [node] = [child for child in up.family() if "code_judge_workers.main" in child.cmdline()]
    [launcher] = node.children()
    family = up.family()

    launcher.kill()
    with ThreadPoolExecutor(2) as pool:
        verdicts = list(pool.map(lambda number: ask(url, f"print({number})")["verdict"], range(6)))
    up.signal(signal.SIGTERM)

    assert verdicts == ["ran"] * 6
    assert up.wait() == CliExit.OK
    assert up.leftovers() == []
    _, alive = psutil.wait_procs(family, timeout=PATIENCE_S)
    assert alive == []
    assert node_cgroups(node.pid) == []


def test_up_says_which_of_its_processes_has_ended_and_stops_the_others(up: Command) -> None:
    url_of(up)
    [node] = [child for child in up.family() if "code_judge_workers.main" in child.cmdline()]
    family = up.family()

    node.kill()

    assert up.wait() == CliExit.CHILD_ENDED
    assert "the worker node has ended unexpectedly (signal SIGKILL)" in "".join(up.err)
    _, alive = psutil.wait_procs(family, timeout=60)
    assert alive == []


def test_run_starts_a_judge_for_one_file_and_leaves_nothing_behind(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("print(sum(map(int, input().split())))")
    argv = (*CODE_JUDGE, "run", str(program), "--input", "1 2 3", "--expected", "7")

    with Command(tmp_path, *argv, **NO_WARM_LIBRARIES) as run:
        assert run.wait() == CliExit.NOT_OK
        assert run.hear("wrong_answer")
        assert list(run.temp.iterdir()) == []


@pytest.mark.needs_gxx
@pytest.mark.needs_numpy
@pytest.mark.needs_sympy
def test_every_program_of_the_demo_gets_its_verdict(tmp_path: Path) -> None:
    with Command(tmp_path, sys.executable, str(ROOT / "examples" / "demo" / "demo.py")) as demo:
        assert demo.wait() == 0
        assert demo.hear("verdicts as expected, 0 left out")
        assert list(demo.temp.iterdir()) == []
