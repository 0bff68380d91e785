"""Finds out what became of items that no result is coming for.

An item without a result is waiting, running, or lost (Redis came back empty). Asking the queue for each
by name would cost more than running them, so the sweeper peeks at the queue's head first: while the head
is not past an item's score, the item may simply still be waiting.

What the queue says of an item, and what follows::

    QUEUED   within its waiting time  nothing
             after it                 cancelled, answered queue_timeout
    LEASED                            nothing, however long: its node is alive, or the queue redelivers it
    GONE     for the first time       asked again: its result may be on its way
             again, still no result   pushed again from the master's own copy
"""

import asyncio
import logging
from collections.abc import Iterator, Sequence
from itertools import islice

from code_judge.metrics import families
from code_judge.queue import MasterQueue, WorkState

from .batch import Batch, WorkItem
from .canceller import Canceller
from .collector import Collector

log = logging.getLogger(__name__)

PEEK_INTERVAL_S = 0.5
"""Between two looks at an item that waits, or was gone at the last look."""
LEASED_INTERVAL_S = 5.0
"""Between two looks at an item that a node is running."""
CERTAINTY_INTERVAL_S = 30.0
"""An item is asked for by name this often, whatever the head says: newer work of a more urgent class can
keep the head below the score of an item that was lost."""
EXPIRY_MARGIN_S = 1.0
"""Added to the waiting time: the node that claims an item late answers it, the master only what nobody
claims."""
EXPIRED = "no worker was free within the time that such a request may wait; it was not run: send it again"
CHUNK_SIZE = 500
"""Items in one command, so that a sweep holds neither Redis nor the event loop up."""


def mark_accepted(items: Sequence[WorkItem], score: float) -> None:
    """Note that the queue has just taken these, as one chunk with this last score."""
    now = asyncio.get_running_loop().time()
    for item in items:
        item.score = score
        item.check_at = now + PEEK_INTERVAL_S
        item.asked_at = now
        item.expires_at = now + item.payload.max_wait_s + EXPIRY_MARGIN_S
        item.gone = False


class Sweeper:
    """Looks after the items that a collector waits for."""

    def __init__(self, queue: MasterQueue, collector: Collector, canceller: Canceller) -> None:
        self._queue = queue
        self._collector = collector
        self._canceller = canceller

    async def sweep(self) -> None:
        """Wait for one interval, then look at all items that are due. Raises QueueUnavailable, QueueFull."""
        await asyncio.sleep(PEEK_INTERVAL_S)
        now = asyncio.get_running_loop().time()
        due = [item for item in self._collector.waiting if item.check_at <= now]
        if not due:
            return
        head = await self._queue.head_score()
        doubtful = [item for item in due if _is_doubtful(item, head, now)]
        for chunk in _chunks(doubtful):
            states = await self._queue.states([item.payload.work_id for item in chunk])
            await self._settle(chunk, states)

    async def _settle(self, items: Sequence[WorkItem], states: dict[str, WorkState]) -> None:
        now = asyncio.get_running_loop().time()
        expired, lost = [], []
        for item in items:
            state = states[item.payload.work_id]
            item.check_at = now + (LEASED_INTERVAL_S if state is WorkState.LEASED else PEEK_INTERVAL_S)
            item.asked_at = now
            if state is WorkState.QUEUED and item.expires_at <= now:
                expired.append(item)
            elif state is WorkState.GONE and item.gone:
                lost.append(item)
            item.gone = state is WorkState.GONE
        self._canceller.cancel(self._collector.time_out(expired, EXPIRED))
        await self._push_again(lost)

    async def _push_again(self, lost: Sequence[WorkItem]) -> None:
        """Submit these anew, chunks of one batch together: they share the batch's hash tag."""
        by_batch: dict[Batch, list[WorkItem]] = {}
        for item in lost:
            by_batch.setdefault(item.batch, []).append(item)
        for items in by_batch.values():
            unanswered = [item for item in items if self._collector.waits_for(item)]
            if unanswered:
                score = await self._queue.submit([item.payload for item in unanswered])
                mark_accepted(unanswered, score)
                self._queue.tally.add(families.RETRIES, "queue_lost", by=len(unanswered))
                log.warning("pushed %d items again that the queue had lost", len(unanswered))
                # A caller that hung up meanwhile had its items cancelled before they were back.
                self._canceller.cancel(item for item in unanswered if not self._collector.waits_for(item))


def _is_doubtful(item: WorkItem, head: float | None, now: float) -> bool:
    claimed = head is None or head > item.score
    return claimed or item.gone or item.expires_at <= now or item.asked_at + CERTAINTY_INTERVAL_S <= now


def _chunks(items: Sequence[WorkItem]) -> Iterator[list[WorkItem]]:
    rest = iter(items)
    while chunk := list(islice(rest, CHUNK_SIZE)):
        yield chunk
