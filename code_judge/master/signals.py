"""Learns of the signals that stop the server, beside the server's own handlers."""

import asyncio
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def on_stop_signal(callback: Callable[[], None]) -> Iterator[None]:
    """Call ``callback`` in the running loop on SIGINT and SIGTERM, then the handler that was there before.

    Does nothing where there was none (the default action would be lost) or outside the main thread,
    which alone may handle signals.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop = asyncio.get_running_loop()
    handled = {}
    for number in STOP_SIGNALS:
        previous = signal.getsignal(number)
        if not callable(previous):
            continue

        def handle(signum: int, frame: FrameType | None, previous: Callable[..., object] = previous) -> None:
            loop.call_soon_threadsafe(callback)
            previous(signum, frame)

        handled[number] = previous
        signal.signal(number, handle)
    try:
        yield
    finally:
        for number, previous in handled.items():
            signal.signal(number, previous)
