"""One request's submissions while they wait for their results."""

import asyncio
import math
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

from code_judge.errors import JudgeError
from code_judge.queue import WorkPayload
from code_judge.tracing import NoSpan, Span


@dataclass(slots=True, eq=False)
class WorkItem:
    """A submission that was handed to the queue and has no result yet. Times are the event loop's."""

    payload: WorkPayload
    """The master's own copy, from which a lost item is pushed again."""
    batch: "Batch"
    index: int
    """Its place in the batch."""
    score: float = math.inf
    """The last score of its chunk: a queue whose head is past it has handed the item out."""
    check_at: float = math.inf
    """When to look for it next; never while it is being submitted."""
    asked_at: float = 0.0
    """When the queue was last asked for it by name."""
    expires_at: float = math.inf
    """When it has waited too long, if it is still waiting then."""
    gone: bool = False
    """The queue did not know it when last asked."""

    def doubt(self) -> None:
        """Have it asked for by name at the next look, unless it is being submitted just now."""
        if self.check_at < math.inf:
            self.check_at = self.asked_at = -math.inf


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a request comes from, as far as its caller tells."""

    request_id: str | None = None
    """The caller's name for it, for the log."""
    traceparent: str = ""
    """The caller's span, for the trace."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of the submission at ``index``: the full result as JSON, as the node wrote it."""

    index: int
    result: bytes


@dataclass(eq=False)
class Batch:
    """The waiting side of one request: results go in as they come and come out in bursts."""

    size: int
    on_close: Callable[["Batch"], None]
    """Told once, when nobody waits for the batch any more."""
    span: Span = field(default_factory=NoSpan)
    """The request's, as long as somebody waits for it."""
    items: list[WorkItem] = field(default_factory=list)
    """What was handed to the queue; submissions that were refused at once are not among it."""
    timer: asyncio.TimerHandle | None = None
    """Rings when the caller's own deadline passes."""
    _ready: list[Answer] = field(default_factory=list)
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    _error: JudgeError | None = None
    _closed: bool = False

    def answer(self, index: int, result: bytes) -> None:
        """Hand in one result. The caller sees to it that no index is answered twice."""
        self._ready.append(Answer(index, result))
        self._news.set()

    def fail(self, error: JudgeError) -> None:
        """Give up on what is still missing: :meth:`bursts` raises ``error`` after the results it has."""
        self._error = error
        self._news.set()

    async def bursts(self) -> AsyncIterator[list[Answer]]:
        """All results, in the order and the groups in which they arrive.

        Raises the error that :meth:`fail` was given.
        """
        missing = self.size
        while missing:
            await self._news.wait()
            self._news.clear()
            burst, self._ready = self._ready, []
            missing -= len(burst)
            if burst:
                yield burst
            if self._error and missing:
                raise self._error

    def close(self) -> None:
        """Stop waiting; whatever has no result yet is cancelled. Idempotent."""
        if not self._closed:
            self._closed = True
            if self.timer:
                self.timer.cancel()
            self.on_close(self)
