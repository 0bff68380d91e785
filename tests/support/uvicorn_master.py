"""A master as people start it: ``uvicorn code_judge.main:app --workers N``, in processes of its own."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Self

import httpx

START_S = 60.0
"""Two cores may be busy with other tests while a master starts."""


class UvicornMaster:
    """Use it as a context manager; what it logged is in ``log`` and shown where a test fails."""

    def __init__(self, folder: Path, workers: int = 1, **environ: str) -> None:
        self._port = free_port()
        self.url = f"http://127.0.0.1:{self._port}"
        self.log = folder / f"master-{self._port}.log"
        self._command = [
            *(sys.executable, "-m", "uvicorn", "code_judge.main:app"),
            *("--host", "127.0.0.1", "--port", str(self._port), "--workers", str(workers)),
        ]
        self._environ = {**os.environ, **environ}
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """The process that was started: with several workers, their supervisor."""
        assert self._process
        return self._process.pid

    def terminate(self) -> None:
        """Ask it to stop, as a service manager does."""
        os.kill(self.pid, signal.SIGTERM)

    def wait(self, timeout_s: float = 60.0) -> int:
        """Its exit code, once it has ended."""
        assert self._process
        return self._process.wait(timeout_s)

    def __enter__(self) -> Self:
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                self._command,
                env=self._environ,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        deadline = time.monotonic() + START_S
        while not self._answers():
            assert self._process.poll() is None, self.log.read_text()
            assert time.monotonic() < deadline, self.log.read_text()
            time.sleep(0.05)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process
        if self._process.poll() is None:
            self.terminate()
        try:
            self.wait()
        except subprocess.TimeoutExpired:
            os.killpg(self.pid, signal.SIGKILL)
            self._process.wait()
        if error:
            print(self.log.read_text())

    def _answers(self) -> bool:
        try:
            return httpx.get(self.url + "/ping").status_code == 200
        except httpx.TransportError:
            return False


def free_port() -> int:
    """A port of this machine that nobody listens on just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
