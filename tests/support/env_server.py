"""The environment's server in a thread of this process, so that tests can look into it."""

import socket
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import uvicorn

from code_judge_env.server.app import create_app
from code_judge_env.server.settings import EnvSettings

PATIENCE_S = 60.0
"""Two cores may be busy with other tests."""
TASKS = Path(__file__).with_name("env_tasks.jsonl")
"""Tasks whose hidden tests hold the word SECRET wherever there is room for it."""


class EnvServer:
    """Use it as a context manager. Settings that are not given are the server's own, but for the tasks."""

    def __init__(self, judge_url: str, *, ws_max_size: int = 1 << 20, **settings: Any) -> None:
        self.app = create_app(EnvSettings(judge_url=judge_url, **{"tasks": TASKS, **settings}))
        config = uvicorn.Config(
            self.app, log_level="warning", ws_max_size=ws_max_size, timeout_graceful_shutdown=10
        )
        self._server = uvicorn.Server(config)
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [self._socket]})

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    @property
    def sessions(self) -> int:
        """Sessions that take up a place."""
        return int(self.app.state.env_server.active_sessions)

    def until_sessions(self, count: int, within_s: float = PATIENCE_S) -> None:
        """Wait until there are so many."""
        deadline = time.monotonic() + within_s
        while self.sessions != count:
            assert time.monotonic() < deadline, f"{self.sessions} sessions after {within_s} s, not {count}"
            time.sleep(0.01)

    def stop(self) -> None:
        """Ask it to stop, as SIGTERM does, and wait until it has."""
        self._server.should_exit = True
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive()

    def __enter__(self) -> Self:
        self._thread.start()
        deadline = time.monotonic() + PATIENCE_S
        while not self._server.started:
            assert self._thread.is_alive(), "the server ended at its start"
            assert time.monotonic() < deadline
            time.sleep(0.01)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        self._socket.close()
