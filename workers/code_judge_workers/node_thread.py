"""What all threads of a node have in common."""

import logging
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable

log = logging.getLogger(__name__)


class NodeThread(threading.Thread, ABC):
    """A thread that the node cannot do without: its unexpected end is told, and the node then leaves.

    A node that limps on (claims but never reports, say) would harm its cluster more than one that is gone,
    whose work others take over. Threads are daemons: a hung one must not keep the process from ending.
    """

    def __init__(self, name: str, on_failure: Callable[[], None]) -> None:
        super().__init__(name=name, daemon=True)
        self._on_failure = on_failure

    def run(self) -> None:
        """Do the work until it is over."""
        try:
            self.work()
        except BaseException:  # the edge of the thread: whatever ended it, the node must hear of it
            log.exception("the thread %s has failed; this node will leave", self.name)
            self._on_failure()

    @abstractmethod
    def work(self) -> None:
        """What the thread does; returns when the node stops."""
