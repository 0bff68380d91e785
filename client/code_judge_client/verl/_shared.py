"""One request processor for all tools of a process that are configured alike: batches fill only together."""

import os
import threading

from code_judge_client._processor import RequestProcessor
from code_judge_client._state import State

from ._config import JudgeConfig

_processors: dict[JudgeConfig, RequestProcessor] = {}
_lock = threading.Lock()
"""Tools may be used from several threads, each with an event loop of its own."""

os.register_at_fork(after_in_child=_processors.clear)  # the child has none of the loops they live in


async def shared_processor(config: JudgeConfig) -> RequestProcessor:
    """The running processor of this configuration, started in this event loop where there is none."""
    with _lock:
        processor = _processors.get(config)
        if processor is None or processor.state is State.CLOSED:
            processor = _processors[config] = config.processor()
        await processor.start()  # never suspends, so the lock is held for a moment only
    return processor
