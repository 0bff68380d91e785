"""RUN_WORKERS=1: master and node by one command."""

import time
from collections.abc import Callable
from pathlib import Path

import httpx
import psutil
import pytest

from tests.support.uvicorn_master import UvicornMaster

pytestmark = pytest.mark.needs_redis


def until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_one_node_runs_beside_however_many_processes_and_leaves_with_them(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    with UvicornMaster(tmp_path, 2, RUN_WORKERS="1", MAX_WORKERS="2", **environ) as master:
        until(lambda: httpx.get(master.url + "/healthz", timeout=60).status_code == 200)
        family = [master.pid, *(child.pid for child in psutil.Process(master.pid).children(recursive=True))]
        answer = httpx.post(
            master.url + "/run",
            json={"type": "python", "solution": "print(int(input()) + 1)", "input": "41"},
            timeout=60,
        )
        workers = httpx.get(master.url + "/status", timeout=60).json()["num_workers"]

    assert answer.json()["stdout"] == "42\n"
    assert workers == 2
    until(lambda: not any(psutil.pid_exists(pid) for pid in family))
