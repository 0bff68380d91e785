"""SIGTERM and SIGINT become calls on an ordinary thread."""

import os
import queue
import signal
import threading

from code_judge_workers.signals import on_stop_signals


def test_the_first_signal_drains_and_each_further_one_kills() -> None:
    calls: queue.SimpleQueue[str] = queue.SimpleQueue()
    with on_stop_signals(lambda: calls.put("drain"), lambda: calls.put("kill")):
        for number, expected in (
            (signal.SIGTERM, "drain"),
            (signal.SIGINT, "kill"),
            (signal.SIGTERM, "kill"),
        ):
            os.kill(os.getpid(), number)
            assert calls.get(timeout=20) == expected


def test_callbacks_may_take_locks_that_the_interrupted_thread_holds() -> None:
    lock, called = threading.Lock(), threading.Event()

    def callback() -> None:
        with lock:
            called.set()

    with on_stop_signals(callback, callback):
        with lock:
            os.kill(os.getpid(), signal.SIGTERM)
        assert called.wait(20)


def test_the_former_handlers_are_back_afterwards() -> None:
    before = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)]

    with on_stop_signals(lambda: None, lambda: None):
        assert [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)] != before

    assert [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)] == before


def test_a_signal_that_was_ignored_stays_so() -> None:
    """As ``nohup`` starts its commands."""
    former = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with on_stop_signals(lambda: None, lambda: None):
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, former)
