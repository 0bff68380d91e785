"""A whole node over a real Redis, but for its executor: programs do what their text says."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from code_judge.queue.redis_node_queue import RedisNodeQueue
from code_judge.settings import Settings
from code_judge.tracing import Tracing
from code_judge_workers.manager import WorkerManager
from tests.support.scripted_executor import ScriptedExecutor


@contextmanager
def running_node(
    settings: Settings, name: str = "node-1", tracing: Tracing | None = None
) -> Iterator[ScriptedExecutor]:
    """Runs until the end of the ``with`` block; see ScriptedRun for what programs can do."""
    executor = ScriptedExecutor()
    manager = WorkerManager(settings, name, RedisNodeQueue(settings, name), executor, tracing)
    thread = threading.Thread(target=manager.run, name=name)
    thread.start()
    try:
        yield executor
    finally:
        manager.kill()
        thread.join(30)
        assert not thread.is_alive()
