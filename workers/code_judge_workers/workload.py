"""What a node has claimed and not yet answered, and how much more it can take.

The one meeting place of the node's threads: the claimer puts items in, worker threads take them and hand
results over, the reporter collects those, heartbeats cancel some, and the manager, when it stops, takes
back what is left.
"""

import queue
import threading
from collections.abc import Collection, Sequence

from code_judge.contract import Result
from code_judge.queue import ClaimedWork

from .executor import Cancelled, Executor, Run

Answer = tuple[ClaimedWork, Result]


class Assignment:
    """One claimed item on its way through this node."""

    def __init__(self, work: ClaimedWork) -> None:
        self.work = work
        self._lock = threading.Lock()
        self._run: Run | None = None
        self._cancelled = False

    def judge(self, executor: Executor) -> Result:
        """Run it to its end. Raises Cancelled where :meth:`cancel` came first."""
        with self._lock:
            if self._cancelled:
                raise Cancelled
            self._run = executor.prepare(self.work.payload.submission)
        return self._run.result()

    def cancel(self) -> None:
        """Kill it, or see to it that it never starts."""
        with self._lock:
            self._cancelled = True
        if self._run:
            self._run.cancel()


class Workload:
    """The items in hand. Safe to use from any thread."""

    def __init__(self, slots: int) -> None:
        self._slots = slots
        self._in_hand: set[Assignment] = set()
        self._to_run: queue.SimpleQueue[Assignment | None] = queue.SimpleQueue()
        self._to_report: queue.SimpleQueue[Answer | None] = queue.SimpleQueue()
        self._online = False
        self._closed = False
        self._changed = threading.Condition()

    # For the claimer

    def room(self) -> int:
        """Wait until there is something to claim for; how many items. 0: nothing more is wanted, ever."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or (self._online and self.busy < self._slots))
            return 0 if self._closed else self._slots - self.busy

    def wait_closed(self, timeout_s: float) -> bool:
        """Wait until nothing more is wanted, at most so many seconds; whether it is so."""
        with self._changed:
            return self._changed.wait_for(lambda: self._closed, timeout_s)

    def add(self, items: Sequence[ClaimedWork]) -> bool:
        """Hand items to the worker threads. False: too late, they are not taken."""
        assignments = [Assignment(item) for item in items]
        with self._changed:
            if self._closed:
                return False
            self._in_hand.update(assignments)
        for assignment in assignments:
            self._to_run.put(assignment)
        return True

    # For the worker threads

    def next(self) -> Assignment | None:
        """Wait for an item. None: leave."""
        return self._to_run.get()

    def finish(self, assignment: Assignment, result: Result | None) -> None:
        """It has ended, with something to report or (cancelled) without. Ignored if it was taken back."""
        with self._changed:
            if assignment not in self._in_hand:
                return
            self._in_hand.remove(assignment)
            if result:
                # Before the lock is left: who then finds nothing in hand must find this to report.
                self._to_report.put((assignment.work, result))
            self._changed.notify_all()

    # For the reporter

    def answers(self) -> list[Answer]:
        """Wait for an answer; all that are there by then. Empty: there will be no more."""
        answers = []
        answer = self._to_report.get()
        while answer:
            answers.append(answer)
            try:
                answer = self._to_report.get_nowait()
            except queue.Empty:
                return answers
        if answers:
            self.no_more_answers()  # the end was met on the way: find it again next time
        return answers

    # For the heartbeats

    @property
    def busy(self) -> int:
        """Items in hand: running, or about to."""
        return len(self._in_hand)

    def set_online(self, online: bool) -> None:
        """Whether this node counts as alive: what it claims otherwise would be given to another at once."""
        with self._changed:
            if online != self._online:
                self._online = online
                self._changed.notify_all()

    def cancel(self, work_ids: Collection[str]) -> None:
        """Kill the items that nobody waits for any more."""
        with self._changed:
            unwanted = [item for item in self._in_hand if item.work.payload.work_id in work_ids]
        for assignment in unwanted:
            assignment.cancel()

    # For the manager

    def close(self) -> None:
        """Take no more items."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def wait_idle(self, timeout_s: float) -> bool:
        """Wait until nothing is in hand, at most so many seconds; whether it is so."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._in_hand, timeout_s)

    def take_back(self) -> list[ClaimedWork]:
        """Kill what is still in hand; returns it, and what its runs may yet say is not told."""
        with self._changed:
            left, self._in_hand = self._in_hand, set()
            self._changed.notify_all()
        for assignment in left:
            assignment.cancel()
        return [assignment.work for assignment in left]

    def dismiss_workers(self) -> None:
        """Have every worker thread leave once it has no item left to take."""
        for _ in range(self._slots):
            self._to_run.put(None)

    def no_more_answers(self) -> None:
        """Have the reporter leave once it has reported what is there."""
        self._to_report.put(None)
