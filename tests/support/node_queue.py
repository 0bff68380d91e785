"""One node's work queue in memory, with the accidents that a real one has.

For tests of the node alone: it keeps the promises of ``NodeQueue`` and no more.
"""

import threading
from collections.abc import Callable, Sequence

from code_judge.contract import NodeInfo, Result, Submission
from code_judge.errors import QueueUnavailable
from code_judge.queue import ClaimedWork, WorkClass, WorkPayload

PATIENCE_S = 20.0
"""How long a test waits for what must happen."""


def work(work_id: str, solution: str = "echo", *, queue_time_s: float = 0.0, attempt: int = 1) -> ClaimedWork:
    """An item that may wait for ten seconds; its submission's ``sub_id`` is its work id."""
    payload = WorkPayload(
        work_id=work_id,
        timestamp=0.0,
        work_class=WorkClass.BATCH,
        long_running=False,
        max_wait_s=10.0,
        reply_to="master",
        submission=Submission(sub_id=work_id, type="python", solution=solution, input=work_id),
    )
    return ClaimedWork(payload, attempt, queue_time_s)


class MemoryNodeQueue:
    """Tests set ``available`` to take Redis away, and wait for what they expect with :meth:`wait_for`."""

    def __init__(self) -> None:
        self.available = True
        self.responsive = threading.Event()
        """Cleared, every call hangs until it is set."""
        self.responsive.set()
        self.answers: dict[str, Result] = {}
        self.given_back: list[str] = []
        self.drain_wanted = False
        self.beats: list[NodeInfo] = []
        self.claims: list[int] = []
        """How many items each claim that brought some asked for."""
        self.cancelled: list[str] = []
        self.calls: list[str] = []
        """The names of all calls but claims and heartbeats, in order."""
        self._waiting: list[ClaimedWork] = []
        self._changed = threading.Condition()

    # What a test does

    def put(self, *items: ClaimedWork) -> None:
        with self._changed:
            self._waiting += items
            self._changed.notify_all()

    def wait_for(self, condition: Callable[[], object]) -> None:
        """Wait until it holds; fails where it does not come to hold."""
        with self._changed:
            assert self._changed.wait_for(condition, PATIENCE_S), "waited in vain"

    # NodeQueue

    def heartbeat(self, node: NodeInfo) -> Sequence[str]:
        self.responsive.wait()
        with self._changed:
            self._reach()
            self.beats.append(node)
            cancelled, self.cancelled = self.cancelled, []
            self._changed.notify_all()
            return cancelled

    def claim(self, max_items: int, wait_s: float) -> Sequence[ClaimedWork]:
        self.responsive.wait()
        with self._changed:
            self._reach()
            self._changed.wait_for(lambda: self._waiting, wait_s)
            items, self._waiting = self._waiting[:max_items], self._waiting[max_items:]
            if items:
                self.claims.append(max_items)
            return items

    def complete(self, results: Sequence[tuple[ClaimedWork, Result]]) -> None:
        self.responsive.wait()
        with self._changed:
            self._reach()
            self.calls.append("complete")
            for item, result in results:
                assert item.payload.work_id not in self.answers, "answered twice"
                self.answers[item.payload.work_id] = result
            self._changed.notify_all()

    def give_back(self, work: Sequence[ClaimedWork]) -> None:
        self.responsive.wait()
        with self._changed:
            self._reach()
            self.calls.append("give_back")
            self.given_back += [item.payload.work_id for item in work]
            self._changed.notify_all()

    @property
    def drain_asked(self) -> bool:
        return self.drain_wanted

    def deregister(self) -> None:
        self.responsive.wait()
        with self._changed:
            self._reach()
            self.calls.append("deregister")

    def close(self) -> None:
        self.calls.append("close")

    def _reach(self) -> None:
        if not self.available:
            raise QueueUnavailable("Redis cannot be reached")
