"""One process of a local judge."""

import signal
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence

from code_judge.bound_child import bound_to_this_process

LEAVING_S = 5.0
"""Seconds that a process gets beside its own grace time before it is killed."""


class Child:
    """A command that runs until it is stopped, and that dies with this process."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        environ: Mapping[str, str] | None = None,
        *,
        grace_s: float = 0.0,
        on_end: Callable[["Child"], None] = lambda _: None,
    ) -> None:
        """Start it. It finishes what it has in hand within ``grace_s`` seconds after a SIGTERM.

        ``on_end`` is called, from a thread of its own, once it has ended, for whatever reason.
        """
        self.name = name
        self._grace_s = grace_s
        self._on_end = on_end
        self._ended = threading.Event()
        self._process = subprocess.Popen(
            bound_to_this_process(command),
            env=environ,
            stdin=subprocess.DEVNULL,
            start_new_session=True,  # a Ctrl-C in the terminal is ours alone: the order of the stop matters
        )
        threading.Thread(target=self._watch, name=f"watch {name}", daemon=True).start()

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def ended(self) -> bool:
        """Whether it has ended."""
        return self._ended.is_set()

    @property
    def ending(self) -> str:
        """How it ended, in words."""
        code = self._process.wait()
        return f"exit code {code}" if code >= 0 else f"signal {signal.Signals(-code).name}"

    def stop(self) -> None:
        """Let it finish and leave; kill it where that takes longer than it may."""
        self._process.terminate()
        if not self._ended.wait(self._grace_s + LEAVING_S):
            self._process.kill()
            self._ended.wait()

    def hurry(self) -> None:
        """The second request to stop: leave without finishing anything. Returns at once."""
        self._grace_s = 0.0
        # SIGINT, since uvicorn takes a second SIGTERM for the first.
        self._process.send_signal(signal.SIGINT)

    def _watch(self) -> None:
        self._process.wait()
        self._ended.set()
        self._on_end(self)
