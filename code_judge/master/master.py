"""One master process: its parts, their start and stop, and the way of a request's work into the queue."""

import asyncio
import logging
from collections.abc import Sequence
from typing import Any

from code_judge.contract import Result, Submission
from code_judge.errors import Draining, RetryLater
from code_judge.logs import Event, log_event
from code_judge.metrics import families
from code_judge.queue import MasterQueue, WorkClass
from code_judge.settings import Settings
from code_judge.tracing import NoTracing, Tracing

from .admission import Admission
from .background import end, repeat
from .batch import Batch, Origin, WorkItem
from .canceller import Canceller
from .chunker import Handling, chunked
from .collector import Collector
from .failure_log import FailureLog
from .intake import Intake
from .sweeper import Sweeper, mark_accepted

log = logging.getLogger(__name__)

NOWHERE = Origin()

LAST_WORDS_S = 2.0
"""Seconds that a stopping master spends on taking its unanswered work out of the queue, and on telling what
it has counted."""


class Master:
    """Everything that the routes need."""

    def __init__(self, settings: Settings, queue: MasterQueue, tracing: Tracing | None = None) -> None:
        self.settings = settings
        self.queue = queue
        self._tracing = tracing or NoTracing()
        self.admission = Admission(queue)
        self.intake = Intake(settings)
        self._failures = FailureLog(queue)
        self._collector = Collector(queue, self._failures)
        self._canceller = Canceller(queue)
        self._sweeper = Sweeper(queue, self._collector, self._canceller)
        self._tasks: list[asyncio.Task[Any]] = []

    # Lifecycle

    def start(self) -> None:
        """Begin to collect. Redis may be away: requests are answered 503 until it is there."""
        steps = {
            "collecting results": self._collector.collect,
            "looking after unanswered work": self._sweeper.sweep,
            "cancelling work": self._canceller.work_off,
            "noting failures of ours": self._failures.work_off,
            "telling what was counted": self._tell_tally,
        }
        self._tasks = [asyncio.create_task(repeat(step, name), name=name) for name, step in steps.items()]

    def drain(self) -> None:
        """Take no new work; what is in flight may finish within the grace time. Idempotent."""
        if not self.admission.draining:
            self.admission.draining = True
            log.info("draining: %d submissions in flight", len(self._collector.waiting))
            asyncio.get_running_loop().call_later(self.settings.master_grace_time, self._give_up)

    def _give_up(self) -> None:
        self._collector.fail(Draining("this master had to stop before the answer was ready; send it again"))

    async def stop(self) -> None:
        """Leave. The order matters: results are collected until all requests have their answers, which
        cancels what has none, and only then may the connections go."""
        self.drain()
        await self._collector.until_idle()
        await end(self._tasks)
        try:
            async with asyncio.timeout(LAST_WORDS_S):
                await self._canceller.flush()
                await self._failures.flush()
                await self.queue.tell_tally()
        except (RetryLater, TimeoutError):
            log.warning("stopping without Redis: unanswered work stays in the queue until it expires")
        await self.queue.close()
        await asyncio.to_thread(self._tracing.close)

    async def _tell_tally(self) -> None:
        await asyncio.sleep(self.settings.heartbeat_interval)
        await self.queue.tell_tally()

    # Work

    async def accept(
        self,
        submissions: Sequence[Submission | Result],
        work_class: WorkClass,
        deadline_s: float | None,
        origin: Origin = NOWHERE,
    ) -> Batch:
        """Put a batch into the queue, all of it or nothing. Close what comes back when done with it.

        Results among the submissions are of those that were refused by themselves. ``deadline_s`` is how
        long the caller will wait, ``origin`` what it tells of itself. Raises Draining,
        QueueFull, QueueUnavailable.
        """
        self.admission.check_not_draining()  # again: the stop may have come while the body was read
        deadline = None if deadline_s is None else asyncio.get_running_loop().time() + deadline_s
        span = self._tracing.start("judge", origin.traceparent, work_class=work_class.value)
        batch = Batch(len(submissions), on_close=self._cancel_rest, span=span)
        try:
            await self._submit(batch, submissions, work_class)
        except BaseException:
            batch.close()
            raise
        if deadline is not None:
            batch.timer = asyncio.get_running_loop().call_at(deadline, self._time_out_rest, batch)
        _log_request(Event.ACCEPTED, batch, request=origin.request_id, submissions=len(submissions))
        return batch

    async def _submit(
        self, batch: Batch, submissions: Sequence[Submission | Result], work_class: WorkClass
    ) -> None:
        runnable = []
        for index, submission in enumerate(submissions):
            if isinstance(submission, Submission):
                runnable.append((index, submission))
            else:
                batch.answer(index, submission.model_dump_json().encode())
                self.queue.tally.add(families.RESULTS, submission.verdict.value, families.UNKNOWN_LANGUAGE)
        handling, traceparent = Handling.of(work_class, self.settings), batch.span.traceparent
        for chunk in chunked(runnable, handling, self.queue.master_id, traceparent):
            items = [WorkItem(payload, batch, index) for index, payload in chunk]
            batch.items += items
            self._collector.expect(items)  # before they are submitted: a node may be that fast
            mark_accepted(items, await self.queue.submit([payload for _, payload in chunk]))
            if log.isEnabledFor(logging.DEBUG):
                for _, payload in chunk:
                    ids = {"work_id": payload.work_id, "sub_id": payload.submission.sub_id}
                    log_event(log, logging.DEBUG, Event.SUBMITTED, **ids)

    def _time_out_rest(self, batch: Batch) -> None:
        expired = self._collector.time_out(batch.items, "the caller's deadline passed; cancelled")
        self._canceller.cancel(expired)

    def _cancel_rest(self, batch: Batch) -> None:
        unanswered = self._collector.forget(batch.items)
        self._canceller.cancel(unanswered)
        batch.span.end(submissions=batch.size, cancelled=len(unanswered))
        _log_request(Event.CLOSED, batch, cancelled=len(unanswered))


def _log_request(event: Event, batch: Batch, **fields: object) -> None:
    """A request with its batch; single runs come by the thousand a second, and are told at DEBUG only."""
    if batch.items:
        first = batch.items[0].payload
        level = logging.DEBUG if first.work_class is WorkClass.INTERACTIVE else logging.INFO
        if log.isEnabledFor(level):
            log_event(log, level, event, batch=first.batch, work_class=first.work_class.value, **fields)
