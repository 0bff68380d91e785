"""The thread that delivers results."""

import logging
import threading
from collections.abc import Callable

from code_judge.errors import QueueUnavailable
from code_judge.queue import NodeQueue

from .backoff import Backoff
from .node_thread import NodeThread
from .workload import Answer, Workload

log = logging.getLogger(__name__)


class Reporter(NodeThread):
    """Completes items in bulk: all that have finished while the bulk before was on its way.

    While Redis is away it holds what it has; no more than one answer per worker thread can gather
    meanwhile, since nothing is claimed then.
    """

    def __init__(self, queue: NodeQueue, workload: Workload, on_failure: Callable[[], None]) -> None:
        super().__init__("reporter", on_failure)
        self._queue = queue
        self._workload = workload
        self._giving_up = threading.Event()
        self._dropped = 0

    def work(self) -> None:
        while answers := self._workload.answers():
            self._deliver(answers)

    def stop(self, timeout_s: float) -> bool:
        """Report what there is, for at most so many seconds; whether all of it was delivered."""
        self._workload.no_more_answers()
        self.join(timeout_s)
        self._giving_up.set()
        self.join(timeout_s)
        return not (self._dropped or self.is_alive())

    def _deliver(self, answers: list[Answer]) -> None:
        backoff = Backoff()
        while True:
            try:
                return self._queue.complete(answers)
            except QueueUnavailable as error:
                log.debug("%d answers held: %s", len(answers), error)
            if self._giving_up.wait(backoff.next_s()):
                self._dropped += len(answers)
                return None
