"""One request processor for all tools of a loop that are configured alike: batches fill only together."""

import asyncio
import os
import threading

from code_judge_client._processor import RequestProcessor
from code_judge_client._state import State

from ._config import JudgeConfig

_processors: dict[tuple[asyncio.AbstractEventLoop, JudgeConfig], RequestProcessor] = {}
"""One for each loop, since a loop may stand still between two calls, or end while others still wait."""
_lock = threading.Lock()
"""Tools may be used from several threads, each with an event loop of its own."""

os.register_at_fork(after_in_child=_processors.clear)  # the child has none of the loops they live in


async def shared_processor(config: JudgeConfig) -> RequestProcessor:
    """This event loop's running processor of this configuration; started where there is none."""
    key = asyncio.get_running_loop(), config
    with _lock:
        for ended in [it for it, processor in _processors.items() if processor.state is State.CLOSED]:
            del _processors[ended]
        if key not in _processors:
            _processors[key] = config.processor()
        processor = _processors[key]
    await processor.start()
    return processor
