"""Brings results from this process's reply list to the batches that wait for them."""

import asyncio
import logging
from collections.abc import Collection, Iterable

from code_judge.contract import Result, Verdict
from code_judge.errors import JudgeError, QueueUnavailable
from code_judge.logs import Event, log_event
from code_judge.metrics import families
from code_judge.queue import MasterQueue

from .batch import WorkItem
from .failure_log import FailureLog

log = logging.getLogger(__name__)

REPLY_WAIT_S = 5.0
"""Seconds that one blocking read of the reply list lasts."""


class Collector:
    """All unanswered items of this process by work id. Each leaves exactly once: answered, or forgotten."""

    def __init__(self, queue: MasterQueue, failures: FailureLog) -> None:
        self._queue = queue
        self._failures = failures
        self._waiting: dict[str, WorkItem] = {}
        self._failed: JudgeError | None = None
        self._idle = asyncio.Event()
        self._idle.set()

    @property
    def waiting(self) -> Collection[WorkItem]:
        """The unanswered items, oldest first."""
        return self._waiting.values()

    def waits_for(self, item: WorkItem) -> bool:
        """Whether this item is still unanswered."""
        return item.payload.work_id in self._waiting

    def expect(self, items: Iterable[WorkItem]) -> None:
        """Take results of these from now on. Comes before their submission: a node may be that fast.

        Raises the error that :meth:`fail` was given.
        """
        if self._failed:
            raise self._failed
        for item in items:
            self._waiting[item.payload.work_id] = item
            self._idle.clear()

    async def collect(self) -> None:
        """Wait for results and hand them on. Results nobody waits for any more are dropped.

        Raises QueueUnavailable; all items are in doubt then, since Redis may come back without its data.
        """
        try:
            replies = await self._queue.replies(REPLY_WAIT_S)
        except QueueUnavailable:
            for item in self._waiting.values():
                item.doubt()
            raise
        for reply in replies:
            if answered := self._pop(reply.work_id):
                self._answer(answered, reply.result)

    def forget(self, items: Iterable[WorkItem]) -> list[WorkItem]:
        """Stop waiting for these; returns those that were still unanswered."""
        return [item for item in items if self._pop(item.payload.work_id)]

    def time_out(self, items: Iterable[WorkItem], why: str) -> list[WorkItem]:
        """Answer these with ``queue_timeout``; returns those that were still unanswered."""
        expired = self.forget(items)
        for item in expired:
            sub_id = item.payload.submission.sub_id or ""
            result = Result.of(sub_id, Verdict.QUEUE_TIMEOUT, stderr=why)
            self._answer(item, result.model_dump_json().encode())
            self._queue.tally.add(families.RESULTS, result.verdict.value, families.UNKNOWN_LANGUAGE)
        return expired

    def fail(self, error: JudgeError) -> None:
        """Fail every batch that waits for something, now or later."""
        self._failed = error
        for batch in {item.batch for item in self._waiting.values()}:
            batch.fail(error)

    async def until_idle(self) -> None:
        """Wait until there is nothing to wait for."""
        await self._idle.wait()

    def _answer(self, item: WorkItem, result: bytes) -> None:
        self._failures.look_at(item.payload.work_id, result)
        item.batch.answer(item.index, result)
        if log.isEnabledFor(logging.DEBUG):
            log_event(log, logging.DEBUG, Event.ANSWERED, work_id=item.payload.work_id)

    def _pop(self, work_id: str) -> WorkItem | None:
        item = self._waiting.pop(work_id, None)
        if not self._waiting:
            self._idle.set()
        return item
