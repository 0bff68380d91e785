"""A cluster by the tmux scripts: nodes come and go, no call is lost, what was said is in the logs."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command import until
from tests.support.rolling_cluster import BatchUnderWay, live_nodes
from tests.support.uvicorn_master import free_port

pytestmark = [pytest.mark.needs_redis, pytest.mark.needs_tmux]

SCRIPTS = Path(__file__).parents[3] / "deploy" / "tmux"


class Tmux:
    """Calls the scripts, with sockets and logs in folders of the test's own."""

    def __init__(self, folder: Path, environ: dict[str, str]) -> None:
        self.logs = folder / "logs"
        self._environ = {
            **os.environ,
            **environ,
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "TMUX_TMPDIR": str(folder),
            "LOG_FOLDER": str(self.logs),
        }
        self._started: list[str] = []

    def call(self, script: str, *names: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [SCRIPTS / script, *names],
            env=self._environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )

    def start_master(self) -> None:
        assert self.call("start_master.sh").returncode == 0
        self._started.append("master")

    def start_nodes(self, *names: str) -> None:
        assert self.call("start_nodes.sh", *names).returncode == 0
        self._started += names

    def stop(self, *names: str) -> None:
        said = self.call("stop.sh", *names)
        assert said.stdout.splitlines() == [f"{name} has left" for name in names], said.stderr
        self._started = [name for name in self._started if name not in names]

    def end(self) -> None:
        """Whatever a failing test has left."""
        for name in self._started:
            subprocess.run(
                ["tmux", "-L", f"code-judge-{name}", "kill-server"], env=self._environ, check=False
            )


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def tmux(tmp_path: Path, environ: dict[str, str], port: int) -> Iterator[Tmux]:
    tmux = Tmux(tmp_path, {**environ, "HOST": "127.0.0.1", "PORT": str(port)})
    yield tmux
    tmux.end()


def test_a_batch_goes_on_while_one_node_is_drained_and_the_other_updated(tmux: Tmux, port: int) -> None:
    url = f"http://127.0.0.1:{port}"
    tmux.start_master()
    tmux.start_nodes("drained", "old")
    until(lambda: len(live_nodes(url)) == 2, "both nodes are there")

    batch = BatchUnderWay(url, size=80)
    batch.wait_for(8)
    tmux.stop("drained")
    batch.wait_for(24)
    tmux.start_nodes("new")
    until(lambda: any(name.endswith("new") for name in live_nodes(url)), "the update is there")
    tmux.stop("old")
    batch.wait()

    batch.assert_no_call_lost()
    assert {name.rpartition("-")[2] for name in batch.nodes} == {"drained", "old", "new"}
    tmux.stop("new", "master")
    assert {log.name for log in tmux.logs.iterdir()} == {"master.log", "drained.log", "old.log", "new.log"}
    assert "draining" in (tmux.logs / "old.log").read_text()


def test_a_name_that_runs_already_is_not_started_twice(tmux: Tmux) -> None:
    tmux.start_nodes("twin")

    said = tmux.call("start_nodes.sh", "twin")

    assert said.returncode == 1
    assert "twin is running already" in said.stderr
    tmux.stop("twin")


@pytest.mark.parametrize("script", ["start_master.sh", "start_nodes.sh"])
def test_without_an_address_of_redis_nothing_starts(tmux: Tmux, script: str) -> None:
    tmux._environ.pop("REDIS_URI")

    said = tmux.call(script)

    assert said.returncode != 0
    assert "REDIS_URI" in said.stderr
