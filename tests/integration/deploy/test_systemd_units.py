"""A cluster by the units' own command lines and rights: nodes come and go, no call is lost."""

import os
import shutil
import signal
from contextlib import ExitStack
from pathlib import Path

import pytest

from code_judge_workers.exit_codes import NodeExit
from tests.support.command import Command, until
from tests.support.rolling_cluster import BatchUnderWay, live_nodes
from tests.support.systemd_unit import Unit
from tests.support.uvicorn_master import free_port

pytestmark = [pytest.mark.needs_redis, pytest.mark.needs_root, pytest.mark.needs_namespaces]

FOLDER = Path(__file__).parents[3] / "deploy" / "systemd"


class Units:
    """Starts what units say, as systemd would with ``environ`` in its EnvironmentFile."""

    def __init__(self, folder: Path, environ: dict[str, str], stack: ExitStack) -> None:
        self._folder = folder
        self._environ = environ
        self._stack = stack

    def start(self, file: str, instance: str = "", **environ: str) -> Command:
        unit = Unit.read(FOLDER / file, instance)
        environment = {**unit.environment, **self._environ, **environ}
        # Of the rights that the unit takes away: the capabilities. The rest takes systemd itself.
        capabilities = ",".join(
            f"+{name.removeprefix('CAP_').lower()}" for name in unit.words("CapabilityBoundingSet")
        )
        bounds = f"-all,{capabilities}".rstrip(",")
        command = [_setpriv(), "--bounding-set", bounds, "--inh-caps=-all", *unit.command(environment)]
        folder = self._folder / f"{file}-{len(list(self._folder.iterdir()))}"
        folder.mkdir()
        return self._stack.enter_context(Command(folder, *command, **environment))


def _setpriv() -> str:
    program = shutil.which("setpriv")
    assert program, "setpriv, of util-linux, is not on PATH"
    return program


def test_a_batch_goes_on_while_one_node_is_drained_and_the_other_updated(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    with ExitStack() as stack:
        units = Units(tmp_path, environ, stack)
        port = str(free_port())
        url = f"http://127.0.0.1:{port}"
        master = units.start("code-judge-master@.service", port)
        drained = units.start("code-judge-worker.service", NODE_NAME="drained")
        old = units.start("code-judge-worker.service", NODE_NAME="old")
        until(lambda: live_nodes(url) == {"drained", "old"}, "both nodes are there")

        batch = BatchUnderWay(url, size=80)
        batch.wait_for(8)
        os.kill(drained.pid, signal.SIGTERM)  # as KillMode=mixed: to the node alone
        assert drained.wait() == NodeExit.LEFT
        batch.wait_for(24)
        new = units.start("code-judge-worker.service", NODE_NAME="new")
        until(lambda: "new" in live_nodes(url), "the update is there")
        os.kill(old.pid, signal.SIGTERM)
        assert old.wait() == NodeExit.LEFT
        batch.wait()

        batch.assert_no_call_lost()
        assert batch.nodes == {"drained", "old", "new"}
        for last in (new, master):
            os.kill(last.pid, signal.SIGTERM)
            assert last.wait() in (0, -signal.SIGTERM)
