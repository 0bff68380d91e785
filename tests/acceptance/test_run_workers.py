"""``python run_workers.py`` beside ``uvicorn code_judge.main:app``, over a Redis of their own."""

import signal
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from code_judge_cli.embedded_redis import EmbeddedRedis
from code_judge_cli.exit_codes import CliExit
from code_judge_workers.exit_codes import NodeExit
from tests.support.command import CODE_JUDGE, Command, until
from tests.support.pages import ROOT
from tests.support.uvicorn_master import UvicornMaster

pytestmark = pytest.mark.needs_redis

RUN_WORKERS = (sys.executable, str(ROOT / "run_workers.py"))


class Cluster:
    """A Redis, a master, and as many nodes as a test starts."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._folder = folder
        self._stack = stack
        self._redis = stack.enter_context(EmbeddedRedis())
        self._settings = {"REDIS_URI": self._redis.uri, "MAX_EXECUTION_TIME": "60"}
        self.url = stack.enter_context(UvicornMaster(folder, 1, **self._settings, RUN_WORKERS="0")).url
        self._pool = stack.enter_context(ThreadPoolExecutor(4))

    def start_node(self, name: str, **settings: str) -> Command:
        """A node that claims work by the time this returns."""
        environ = {**self._settings, "NODE_NAME": name, "MAX_WORKERS": "2", "WARM_TEMPLATES": ";", **settings}
        node = self._stack.enter_context(Command(self._folder, *RUN_WORKERS, **environ))
        node.hear("registered")
        return node

    def run(self, source: str) -> Any:
        """The future full result of a program."""
        return self._pool.submit(self._run, source)

    def until_busy(self) -> None:
        until(lambda: httpx.get(f"{self.url}/cluster").json()["busy"] == 1, "it runs")

    def workers(self) -> int:
        return int(httpx.get(f"{self.url}/status").json()["num_workers"])

    def _run(self, source: str) -> dict[str, Any]:
        submission = {"submissions": [{"type": "python", "solution": source}]}
        answer = httpx.post(f"{self.url}/run/long-batch?detail=full", json=submission, timeout=120)
        result: dict[str, Any] = answer.raise_for_status().json()["results"][0]
        return result


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    with ExitStack() as stack:
        yield Cluster(tmp_path, stack)


def test_a_node_that_is_asked_to_leave_finishes_its_runs(cluster: Cluster) -> None:
    node = cluster.start_node("node-1")
    answer = cluster.run("import time; time.sleep(3); print('done')")
    cluster.until_busy()

    node.signal(signal.SIGTERM)

    assert answer.result()["stdout"] == "done\n"
    assert node.wait() == NodeExit.LEFT
    assert node.leftovers() == []
    assert cluster.workers() == 0


@pytest.mark.parametrize(
    ("signals", "settings", "code"),
    [
        ([signal.SIGTERM], {"WORKER_GRACE_TIME": "0.1"}, NodeExit.LEFT),
        ([signal.SIGTERM, signal.SIGTERM], {"WORKER_GRACE_TIME": "600"}, NodeExit.FORCED),
    ],
)
def test_what_a_leaving_node_cannot_finish_another_runs(
    cluster: Cluster, signals: list[signal.Signals], settings: dict[str, str], code: NodeExit
) -> None:
    node = cluster.start_node("node-1", **settings)
    answer = cluster.run("import time; time.sleep(3); print('done')")
    cluster.until_busy()

    for number in signals:
        node.signal(number)
        node.hear("draining")
    assert node.wait() == code
    assert node.leftovers() == []

    cluster.start_node("node-2")
    result = answer.result()
    assert (result["stdout"], result["node"], result["attempts"]) == ("done\n", "node-2", 1)


def test_a_node_that_an_operator_drains_finishes_its_runs_and_is_gone(
    cluster: Cluster, tmp_path: Path
) -> None:
    node = cluster.start_node("node-1")
    answer = cluster.run("import time; time.sleep(3); print('done')")
    cluster.until_busy()

    with Command(tmp_path, *CODE_JUDGE, "drain", "node-1", "--url", cluster.url) as drain:
        drain.hear("1 submissions in hand")
        drain.hear("empty and gone")
        assert drain.wait() == CliExit.OK
    assert answer.result()["stdout"] == "done\n"
    assert node.wait() == NodeExit.LEFT
    assert cluster.workers() == 0

    with Command(tmp_path, *CODE_JUDGE, "drain", "node-1", "--url", cluster.url) as again:
        again.hear("no live node is called 'node-1'")
        assert again.wait() == CliExit.USAGE


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"REDIS_URI": ""}, "REDIS_URI is not set"),
        ({"REDIS_URI": "redis://127.0.0.1:1", "MAX_WORKERS": "many"}, "MAX_WORKERS='many'"),
        ({"REDIS_URI": "http://127.0.0.1:1"}, "REDIS_URI"),
        ({"REDIS_URI": "redis://127.0.0.1:1", "MAX_MEMORY": "-5", "SANDBOX": "none"}, "MAX_MEMORY='-5'"),
    ],
)
def test_a_bad_setting_ends_the_start_with_its_name(
    tmp_path: Path, settings: dict[str, str], told: str
) -> None:
    with Command(tmp_path, *RUN_WORKERS, **settings) as node:
        assert node.wait() == NodeExit.BAD_SETTINGS

    said = "".join(node.err)
    assert told in said
    assert "Traceback" not in said


def test_a_sandbox_that_cannot_be_had_ends_the_start_with_the_step(tmp_path: Path) -> None:
    settings = {"REDIS_URI": "redis://127.0.0.1:1", "PYTHON_EXECUTOR_PATH": "/nowhere/python3"}
    with Command(tmp_path, *RUN_WORKERS, **settings) as node:
        assert node.wait() == NodeExit.NO_SANDBOX

    said = "".join(node.err)
    assert "PYTHON_EXECUTOR_PATH" in said
    assert "Traceback" not in said
