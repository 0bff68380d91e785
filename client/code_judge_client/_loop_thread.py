"""An event loop for callers that have none, or one that they block."""

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")


class LoopThread:
    """Runs an event loop in a daemon thread from construction until :meth:`stop`."""

    def __init__(self, name: str) -> None:
        self._started = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), name=name, daemon=True)
        self._thread.start()
        self._started.wait()

    async def _serve(self) -> None:
        self.loop = asyncio.get_running_loop()
        self._stopping = asyncio.Event()
        self._started.set()
        await self._stopping.wait()

    def submit(self, coroutine: Coroutine[Any, Any, T]) -> "Future[T]":
        """Begin to run it in the loop."""
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop)

    def call(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run it in the loop, and wait for what it returns or raises. Not from within the loop itself."""
        return wait_for(self.submit(coroutine))

    def stop(self) -> None:
        """Cancel what runs in the loop, end it, and wait for its thread."""
        self.loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join()


def wait_for(future: "Future[T]") -> T:
    """What it returns or raises; an interrupted wait cancels it."""
    try:
        return future.result()
    except BaseException:  # KeyboardInterrupt above all
        future.cancel()
        raise


def run_apart(coroutine: Coroutine[Any, Any, T]) -> T:
    """Like ``asyncio.run``, but also where this thread runs an event loop already, which it blocks."""
    thread = LoopThread("code-judge-apart")
    try:
        return thread.call(coroutine)
    finally:
        thread.stop()
