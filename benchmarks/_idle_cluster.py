"""Redis, one master and one node as processes of their own, where programs cost nothing."""

import os
import sys
import time
import urllib.request
from collections.abc import Mapping
from types import TracebackType
from typing import Self

import psutil
from aiohttp.test_utils import unused_port
from redis import Redis

from code_judge_cli.child import Child
from code_judge_cli.embedded_redis import EmbeddedRedis
from code_judge_cli.local_judge import MASTER_COMMAND, LocalJudgeError, unwind_on_sigterm

IDLE_NODE = (sys.executable, "-m", "benchmarks._idle_node")
READY_S = 60.0
ASKED = ("evalsha", "lpop", "blpop", "exists")
"""The commands that masters and nodes send. All others are calls that scripts make inside Redis."""


class IdleCluster:
    """Each role started by the command that a cluster uses; the settings go to all of them."""

    def __init__(self, **settings: object) -> None:
        given = {name.upper(): str(value) for name, value in settings.items()}
        self._environ = {**os.environ, "LOG_LEVEL": "ERROR", "NODE_NAME": "node", **given}
        self._children: dict[str, Child] = {}
        self.url = ""

    def __enter__(self) -> Self:
        unwind_on_sigterm()
        self._redis = EmbeddedRedis()
        self._redis.start()
        try:
            self._start()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    def _start(self) -> None:
        environ: Mapping[str, str] = {**self._environ, "REDIS_URI": self._redis.uri}
        port = unused_port()
        self.url = f"http://127.0.0.1:{port}"
        master = (*MASTER_COMMAND, "--port", str(port))
        self._children = {
            "node": Child("node", IDLE_NODE, environ, grace_s=30),
            "master": Child("master", master, environ, grace_s=30),
        }
        self.admin = Redis.from_url(self._redis.uri)
        deadline = time.monotonic() + READY_S
        while not self._ready():
            if time.monotonic() > deadline or any(child.ended for child in self._children.values()):
                raise LocalJudgeError("the cluster did not come up; see the log above")
            time.sleep(0.05)

    def _stop(self) -> None:
        for role in ("master", "node"):  # callers still get their answers, which needs the node
            if child := self._children.get(role):
                child.stop()
        self._redis.stop()

    def _ready(self) -> bool:
        try:
            with urllib.request.urlopen(self.url + "/healthz", timeout=5) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    # Figures

    def cpu_s(self) -> dict[str, float]:
        """CPU seconds that each role has used so far, this process as the client."""
        pids = {"client": os.getpid(), **{role: child.pid for role, child in self._children.items()}}
        pids["Redis"] = self._redis.child.pid
        return {role: _cpu_s(pid) for role, pid in pids.items()}

    def master_mb(self) -> tuple[float, float]:
        """Millions of bytes of the master's resident memory: now, and at its most so far."""
        pid = self._children["master"].pid
        with open(f"/proc/{pid}/status") as status:
            peak_kib = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
        return psutil.Process(pid).memory_info().rss / 1e6, peak_kib * 1024 / 1e6

    def commands(self) -> tuple[int, int]:
        """Commands since the last call of ``admin.config_resetstat``: sent, and made inside scripts."""
        calls = {name[8:]: stats["calls"] for name, stats in self.admin.info("commandstats").items()}
        asked = sum(calls.get(name, 0) for name in ASKED)
        return asked, sum(calls.values()) - asked

    def connections(self) -> int:
        """Connections to Redis, but for the one that asks."""
        return len(self.admin.client_list()) - 1


def _cpu_s(pid: int) -> float:
    times = psutil.Process(pid).cpu_times()
    return float(times.user + times.system)
