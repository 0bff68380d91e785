"""A whole judge on this machine: Redis, one worker node and one master, as processes of ours.

Each role is started by its own command, just as on a cluster; what differs is only that they start
and end together.
"""

import http.client
import math
import queue
import signal
import socket
import sys
import time
import urllib.request
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Self

from code_judge.settings import Settings

from .child import Child
from .embedded_redis import EmbeddedRedis, EmbeddedRedisError

READY_S = 120.0
"""Seconds within which the judge must be able to judge: warm templates take a few, more on a busy machine."""
PROBE_PAUSE_S = 0.05
NODE_COMMAND = (sys.executable, "-m", "code_judge_workers.main")
MASTER_COMMAND = (sys.executable, "-m", "uvicorn", "code_judge.main:app", "--log-level", "warning")
EVERY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1"}
"""Addresses to listen at that nobody can connect to, and one that anybody on this machine can."""


class LocalJudgeError(Exception):
    """Raised where the judge cannot be started, or one of its processes has ended; says which and why."""


class LocalJudge:
    """Start it, use it at ``url``, stop it; ``with`` does the first and the last."""

    def __init__(self, environ: Mapping[str, str], host: str = "127.0.0.1", port: int = 0) -> None:
        """``environ`` is what the roles' settings are read from. Port 0 takes a free one.

        Raises SettingsError.
        """
        # Programs should find the libraries that are installed beside the judge.
        self._environ = {"PYTHON_EXECUTOR_PATH": sys.executable, **environ, "RUN_WORKERS": "0"}
        self._settings = Settings.from_env(self._environ)
        self._host = host
        self._port = port
        self._redis: EmbeddedRedis | None = None
        self._children: list[Child] = []
        self._events: queue.SimpleQueue[Child | None] = queue.SimpleQueue()
        """Children that have ended; None: asked to stop."""

    @property
    def url(self) -> str:
        """Where it is reached from this machine."""
        host = EVERY_ADDRESS.get(self._host, self._host)
        return f"http://[{host}]:{self._port}" if ":" in host else f"http://{host}:{self._port}"

    @property
    def api_key(self) -> str | None:
        """What callers must send, if anything."""
        key = self._settings.api_key
        return key.get_secret_value() if key else None

    # Start, wait, stop

    def start(self) -> bool:
        """Start all and wait until submissions can be judged. False: asked to stop before that.

        Raises LocalJudgeError; what has been started by then still wants to be stopped.
        """
        self._port = _free_port(self._host, self._port)
        self._start_redis()
        self._start_node()
        self._start_master()
        return self._wait_until_ready()

    def wait(self) -> None:
        """Wait until asked to stop. Raises LocalJudgeError where a process ends before that."""
        self._next_event(None)

    def stop(self) -> None:
        """End all, each within its grace time. Nothing is left afterwards: no process, socket or folder."""
        # The master's callers still get their answers, which needs the node, which needs Redis.
        for child in reversed(self._children):
            child.stop()
        if self._redis:
            self._redis.stop()

    def ask_to_stop(self) -> None:
        """End the wait, from any thread."""
        self._events.put(None)

    def hurry(self) -> None:
        """Have a stop that is under way finish at once, from any thread."""
        # Not Redis: the node still gives back there what it holds.
        for child in self._children:
            child.hurry()

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    # How

    def _start_redis(self) -> None:
        if self._settings.redis_uri:
            return
        self._redis = EmbeddedRedis(self._events.put)
        try:
            self._redis.start()
        except EmbeddedRedisError as error:
            raise LocalJudgeError(str(error)) from None
        self._environ["REDIS_URI"] = self._redis.uri

    def _start_node(self) -> None:
        self._start("the worker node", NODE_COMMAND, self._settings.worker_grace_time)

    def _start_master(self) -> None:
        grace_s = self._settings.master_grace_time
        command = (
            *MASTER_COMMAND,
            *("--host", self._host, "--port", str(self._port)),
            *("--timeout-graceful-shutdown", str(math.ceil(grace_s) + 1)),
        )
        self._start("the master", command, grace_s)

    def _start(self, name: str, command: Sequence[str], grace_s: float) -> None:
        child = Child(name, command, self._environ, grace_s=grace_s, on_end=self._events.put)
        self._children.append(child)

    def _wait_until_ready(self) -> bool:
        deadline = time.monotonic() + READY_S
        while not self._ready():
            if time.monotonic() > deadline:
                raise LocalJudgeError(f"the judge did not come up within {READY_S:.0f} s; see the log above")
            try:
                self._next_event(PROBE_PAUSE_S)
            except queue.Empty:
                continue
            return False
        return True

    def _ready(self) -> bool:
        # Not by way of a proxy: this is our own process on this machine.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(f"{self.url}/healthz", timeout=5) as answer:
                return bool(answer.status == 200)
        except (OSError, http.client.HTTPException):
            return False

    def _next_event(self, timeout_s: float | None) -> None:
        """Return once asked to stop. Raises queue.Empty, LocalJudgeError where a child has ended."""
        child = self._events.get(timeout=timeout_s)
        if child:
            raise LocalJudgeError(f"{child.name} has ended unexpectedly ({child.ending})")


def unwind_on_sigterm() -> None:
    """Have a SIGTERM end this process as Ctrl-C does, through all ``with`` blocks: nothing is left behind."""
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))


def _free_port(host: str, port: int) -> int:
    """``port``, or any free one for 0. Raises LocalJudgeError where it cannot be listened at."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.create_server((host, port), family=family) as server:
            return int(server.getsockname()[1])
    except OSError as error:
        raise LocalJudgeError(
            f"cannot listen at {host} port {port} ({error.strerror or error}); "
            "choose another with --port, or --port 0 for any free one"
        ) from None
