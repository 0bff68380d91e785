"""The thread that takes work out of the queue."""

import logging
from collections.abc import Callable, Sequence

from code_judge.errors import QueueUnavailable
from code_judge.logs import Event, log_event
from code_judge.queue import ClaimedWork, NodeQueue

from .backoff import Backoff
from .node_thread import NodeThread
from .workload import Workload

log = logging.getLogger(__name__)

CLAIM_WAIT_S = 0.5
"""How long one claim waits for work, in seconds: a node that is asked to leave takes so long to notice."""


class Claimer(NodeThread):
    """Asks the queue for as many items as there are free worker threads, as long as any is wanted."""

    def __init__(self, queue: NodeQueue, workload: Workload, on_failure: Callable[[], None]) -> None:
        super().__init__("claimer", on_failure)
        self._queue = queue
        self._workload = workload
        self._backoff = Backoff()

    def work(self) -> None:
        while room := self._workload.room():
            items = self._claim(room)
            if items and not self._workload.add(items):
                give_back(self._queue, items)

    def _claim(self, max_items: int) -> Sequence[ClaimedWork]:
        try:
            items = self._queue.claim(max_items, CLAIM_WAIT_S)
        except QueueUnavailable as error:
            log.debug("no claim: %s", error)
            self._workload.wait_closed(self._backoff.next_s())
            return ()
        self._backoff.reset()
        if log.isEnabledFor(logging.DEBUG):
            for item in items:
                ids = {"work_id": item.payload.work_id, "attempt": item.attempt}
                log_event(log, logging.DEBUG, Event.CLAIMED, **ids, queue_time=item.queue_time_s)
        return items


def give_back(queue: NodeQueue, items: Sequence[ClaimedWork]) -> None:
    """Return items unanswered, as far as Redis can be reached; else they wait for their leases to lapse."""
    try:
        queue.give_back(items)
    except QueueUnavailable as error:
        log.warning("%d items wait for their leases to lapse: %s", len(items), error)
    else:
        log.info("gave back %d items", len(items))
