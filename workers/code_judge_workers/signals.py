"""Turns the signals that ask a process to leave into calls on an ordinary thread."""

import queue
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


@contextmanager
def on_stop_signals(first: Callable[[], None], again: Callable[[], None]) -> Iterator[None]:
    """Call ``first`` at the first SIGTERM, SIGINT or SIGHUP, ``again`` at each further one.

    The callbacks run on a thread of their own, one after the other: a signal handler interrupts the main
    thread anywhere, even inside a lock, so that a handler that takes that lock would wait forever. Enter
    it on the main thread, which alone may handle signals. The former handlers are back afterwards.
    Signals that were ignored stay so: that is how ``nohup`` keeps a process running.
    """
    # SimpleQueue.put is the one way of telling another thread that is safe in a signal handler.
    received: queue.SimpleQueue[int | None] = queue.SimpleQueue()

    def call_back() -> None:
        callback = first
        while received.get() is not None:
            callback()
            callback = again

    thread = threading.Thread(target=call_back, name="signals", daemon=True)
    thread.start()
    former = {
        number: signal.signal(number, lambda signum, _: received.put(signum))
        for number in STOP_SIGNALS
        if signal.getsignal(number) is not signal.SIG_IGN
    }
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
        received.put(None)
        thread.join()
