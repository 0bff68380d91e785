"""The threads that have submissions judged, one at a time each."""

import logging
from collections.abc import Callable

from code_judge.contract import Result, Verdict
from code_judge.logs import Event, log_event
from code_judge.queue import ClaimedWork
from code_judge.tracing import Tracing

from .error_cases import ErrorCases
from .executor import Cancelled, Executor
from .node_thread import NodeThread
from .workload import Assignment, Workload

log = logging.getLogger(__name__)


class Worker(NodeThread):
    """Takes an item, has it judged, hands the result over, takes the next."""

    def __init__(
        self,
        index: int,
        *,
        node_name: str,
        workload: Workload,
        executor: Executor,
        error_cases: ErrorCases,
        tracing: Tracing,
        on_failure: Callable[[], None],
    ) -> None:
        super().__init__(f"worker-{index}", on_failure)
        self._node_name = node_name
        self._workload = workload
        self._executor = executor
        self._error_cases = error_cases
        self._tracing = tracing

    def work(self) -> None:
        while assignment := self._workload.next():
            self._workload.finish(assignment, self._answer(assignment))

    def _answer(self, assignment: Assignment) -> Result | None:
        """The item's full result; None where nobody waits for it any more."""
        work = assignment.work
        sub_id = work.payload.submission.sub_id or work.payload.work_id
        span = self._tracing.start("run", work.payload.traceparent, work_id=work.payload.work_id)
        try:
            if work.expired:
                result = Result.of(sub_id, Verdict.QUEUE_TIMEOUT)
            else:
                result = assignment.judge(self._executor)
        except Cancelled:
            span.end(cancelled=1)
            return None
        except Exception as error:  # the edge of the thread: one item must not cost it its life
            log.exception("%s could not be judged", work.payload.work_id)
            result = Result.of(sub_id, Verdict.INTERNAL_ERROR, stderr=f"the worker failed: {error!r}")
        span.end(verdict=result.verdict.value, attempt=work.attempt, queue_time_s=work.queue_time_s)
        _log_judged(work, result)
        if result.verdict is Verdict.INTERNAL_ERROR:
            self._error_cases.save(work.payload, result)
        return result.model_copy(
            update={"node": self._node_name, "attempts": work.attempt, "queue_time": work.queue_time_s}
        )


def _log_judged(work: ClaimedWork, result: Result) -> None:
    """A failure of ours is told always, with the reason, which is our own text."""
    failed = result.verdict is Verdict.INTERNAL_ERROR
    level = logging.WARNING if failed else logging.DEBUG
    if log.isEnabledFor(level):
        ids = {"work_id": work.payload.work_id, "sub_id": result.sub_id, "attempt": work.attempt}
        why = {"why": result.stderr} if failed else {}
        verdict = result.verdict.value
        log_event(log, level, Event.JUDGED, **ids, verdict=verdict, wall_time=result.wall_time, **why)
