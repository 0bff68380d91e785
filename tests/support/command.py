"""Our own commands as people start them, and what they leave behind."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Self

import psutil

PATIENCE_S = 60.0
"""Two cores may be busy with other tests."""
CODE_JUDGE = (sys.executable, "-m", "code_judge_cli.main")


class Command:
    """A running command. What it says is in ``out`` and ``err``, and shown where a test fails.

    Its temporary files go to a folder of its own, so that a test can see whether any is left.
    """

    def __init__(self, folder: Path, *argv: str, **environ: str) -> None:
        self.temp = folder / "tmp"
        self.temp.mkdir(exist_ok=True)
        self._argv = argv
        self._environ = {**os.environ, "TMPDIR": str(self.temp), **environ}
        self._heard = threading.Condition()
        self.out: list[str] = []
        self.err: list[str] = []
        self._family: list[psutil.Process] = []

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            self._argv,
            env=self._environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self._listeners = [
            threading.Thread(target=self._listen, args=(stream, lines))
            for stream, lines in ((self._process.stdout, self.out), (self._process.stderr, self.err))
        ]
        for listener in self._listeners:
            listener.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in [psutil.Process(self.pid), *self.family()] if self._process.poll() is None else []:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        self._process.wait()
        for listener in self._listeners:
            listener.join(PATIENCE_S)
        if error:
            print(*self.out, *self.err, sep="")

    @property
    def pid(self) -> int:
        return self._process.pid

    def family(self) -> list[psutil.Process]:
        """All its descendants at this moment."""
        return psutil.Process(self.pid).children(recursive=True)

    def hear(self, text: str) -> str:
        """Wait until it says this on either stream; the line."""
        with self._heard:
            assert self._heard.wait_for(lambda: self._line_with(text), PATIENCE_S), f"it never said {text!r}"
            return self._line_with(text)

    def signal(self, number: signal.Signals) -> None:
        """Signal its whole process group, as a terminal does; remembers its family for :meth:`leftovers`."""
        self._family = self.family()
        os.killpg(self.pid, number)

    def wait(self) -> int:
        """Its exit code."""
        return self._process.wait(PATIENCE_S)

    def leftovers(self) -> list[object]:
        """Processes that outlive the last signal, and files that it left."""
        _, alive = psutil.wait_procs(self._family, timeout=PATIENCE_S)
        return [*alive, *self.temp.rglob("*")]

    def _listen(self, stream: IO[str], lines: list[str]) -> None:
        with stream:
            for line in stream:
                with self._heard:
                    lines.append(line)
                    self._heard.notify_all()

    def _line_with(self, text: str) -> str:
        return next((line for line in [*self.out, *self.err] if text in line), "")


def until(holds: Callable[[], object], what: str) -> None:
    """Wait until something that another process brings about holds."""
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline, f"waited in vain until {what}"
        time.sleep(0.02)
