"""Takes work out of the queue that nobody waits for any more."""

import asyncio
from collections.abc import Iterable
from itertools import islice

from code_judge.queue import MasterQueue

from .batch import WorkItem

CHUNK_SIZE = 500
"""Work ids in one command, so that a large batch's end does not hold Redis up."""


class Canceller:
    """Cancels in the background, since callers that are gone cannot wait and Redis may be away."""

    def __init__(self, queue: MasterQueue) -> None:
        self._queue = queue
        self._work_ids: set[str] = set()
        self._news = asyncio.Event()

    def cancel(self, items: Iterable[WorkItem]) -> None:
        """Have these taken out of the queue, or killed where they run."""
        self._work_ids.update(item.payload.work_id for item in items)
        if self._work_ids:
            self._news.set()

    async def work_off(self) -> None:
        """Wait for something to cancel, and cancel it. What fails stays for the next time."""
        await self._news.wait()
        await self.flush()
        self._news.clear()

    async def flush(self) -> None:
        """Cancel what there is to cancel. Raises QueueUnavailable."""
        while self._work_ids:
            chunk = list(islice(self._work_ids, CHUNK_SIZE))
            await self._queue.cancel(chunk)
            self._work_ids.difference_update(chunk)
