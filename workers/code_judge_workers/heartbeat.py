"""The thread that shows that this node is alive, and learns what was cancelled."""

import logging
import threading
from collections.abc import Callable

from code_judge.contract import NodeInfo
from code_judge.errors import QueueUnavailable
from code_judge.queue import NodeQueue

from .node_thread import NodeThread
from .workload import Workload

log = logging.getLogger(__name__)


class Heartbeat(NodeThread):
    """Renews the node's registration every ``interval_s`` seconds, also while it drains.

    Otherwise its leases would lapse, and others would run what it is about to finish. It is also how the
    node notices that Redis is away, or back.
    """

    def __init__(
        self,
        queue: NodeQueue,
        workload: Workload,
        describe: Callable[[], NodeInfo],
        interval_s: float,
        on_drain_asked: Callable[[], None],
        on_failure: Callable[[], None],
    ) -> None:
        super().__init__("heartbeat", on_failure)
        self._queue = queue
        self._workload = workload
        self._describe = describe
        self._interval_s = interval_s
        self._on_drain_asked = on_drain_asked
        self._stopping = threading.Event()
        self._reachable: bool | None = None

    def work(self) -> None:
        self._beat()
        while not self._stopping.wait(self._interval_s):
            self._beat()

    def stop(self, timeout_s: float) -> None:
        """No more beats; waits at most so many seconds for one that is on its way."""
        self._stopping.set()
        self.join(timeout_s)

    def _beat(self) -> None:
        try:
            cancelled = self._queue.heartbeat(self._describe())
        except QueueUnavailable as error:
            self._note(reachable=False, why=str(error))
            return
        self._note(reachable=True)
        if cancelled:
            self._workload.cancel(frozenset(cancelled))
        if self._queue.drain_asked:
            self._on_drain_asked()

    def _note(self, *, reachable: bool, why: str = "") -> None:
        if reachable == self._reachable:
            return
        self._reachable = reachable
        self._workload.set_online(reachable)
        if reachable:
            log.info("registered; claiming work")
        else:
            log.warning("Redis is away (%s); keeping results, claiming nothing until it is back", why)
