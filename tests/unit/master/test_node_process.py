"""RUN_WORKERS=1: one node beside the master, and none left behind."""

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from code_judge.master import node_process
from code_judge.master.node_process import NodeProcess

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="nodes run on Linux")

SCRIPT = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, {on_term})
with open(sys.argv[1], "a") as starts:
    print(os.getpid(), file=starts, flush=True)
time.sleep(600)
"""


class Node:
    """A stand-in for a worker node that writes its process id down whenever it starts."""

    def __init__(self, folder: Path, on_term: str = "lambda *_: sys.exit(0)") -> None:
        self._starts = folder / "starts"
        self.command = (sys.executable, "-c", SCRIPT.format(on_term=on_term), str(self._starts))

    def keep_running(self, grace_time_s: float = 10) -> asyncio.Task[None]:
        return asyncio.create_task(NodeProcess(grace_time_s, self.command).keep_running())

    async def started(self, times: int = 1) -> int:
        """The process id of its latest start, after so many of them."""
        async with asyncio.timeout(20):
            while len(pids := self.pids()) < times:  # noqa: ASYNC110 - another process tells it by a file
                await asyncio.sleep(0.01)
        return pids[-1]

    def pids(self) -> list[int]:
        return [int(line) for line in self._starts.read_text().split()] if self._starts.exists() else []


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def end(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_process, "RETRY_S", 0.01)


async def test_processes_of_one_uvicorn_parent_run_one_node_between_them(tmp_path: Path) -> None:
    node = Node(tmp_path)
    one, other = node.keep_running(), node.keep_running()
    first = await node.started()

    await end(one)
    second = await node.started(times=2)
    await end(other)

    assert len(node.pids()) == 2
    assert not is_running(first)
    assert not is_running(second)


async def test_a_node_that_ends_is_replaced(tmp_path: Path) -> None:
    node = Node(tmp_path)
    task = node.keep_running()

    os.kill(await node.started(), signal.SIGKILL)
    second = await node.started(times=2)
    await end(task)

    assert not is_running(second)


async def test_a_node_that_will_not_stop_is_killed_after_its_grace_time(tmp_path: Path) -> None:
    node = Node(tmp_path, on_term="signal.SIG_IGN")
    task = node.keep_running(grace_time_s=0.1)
    pid = await node.started()

    await asyncio.wait_for(end(task), 20)

    assert not is_running(pid)


async def test_a_killed_master_takes_its_node_along(tmp_path: Path) -> None:
    node = Node(tmp_path)
    script = (
        "import asyncio, sys\n"
        "from code_judge.master.node_process import NodeProcess\n"
        "asyncio.run(NodeProcess(10, sys.argv[1:]).keep_running())\n"
    )
    master = await asyncio.create_subprocess_exec(sys.executable, "-c", script, *node.command)
    pid = await node.started()

    master.kill()
    await master.wait()

    async with asyncio.timeout(20):
        while is_running(pid):  # noqa: ASYNC110 - nobody is left to tell
            await asyncio.sleep(0.01)
