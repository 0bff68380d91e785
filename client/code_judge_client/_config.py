"""How a client behaves, as values that can be shared, compared and printed."""

import math
import random
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeout:
    """How long to wait, in seconds.

    >>> Timeout(total_s=60)
    Timeout(connect_s=10.0, total_s=60)
    """

    connect_s: float = 10.0
    """For a connection to be made."""
    total_s: float | None = None
    """For a whole call with its retries, where the call names no timeout of its own; None for as long as
    it takes. The judge is told, and drops what nobody waits for any more."""

    def __post_init__(self) -> None:
        _require(self.connect_s > 0, "connect_s must be more than 0", self)
        _require(self.total_s is None or self.total_s > 0, "total_s must be more than 0, or None", self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much a client asks for at once.

    >>> Limits(connections=16)
    Limits(connections=16, keep_alive_s=4.0, request_items=1000, request_mb=32.0)
    """

    connections: int = 64
    """Requests under way at once."""
    keep_alive_s: float = 4.0
    """Seconds that an idle connection is kept. Below uvicorn's limit of 5 s, after which a request may meet
    a connection that the server is just closing."""
    request_items: int = 1000
    """Submissions in one request; a longer batch is sent as several."""
    request_mb: float = 32.0
    """MB of submissions in one request; a larger batch is sent as several."""

    def __post_init__(self) -> None:
        _require(self.connections > 0, "connections must be more than 0", self)
        _require(self.keep_alive_s > 0, "keep_alive_s must be more than 0", self)
        _require(self.request_items > 0, "request_items must be more than 0", self)
        _require(self.request_mb > 0, "request_mb must be more than 0", self)


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """When to send again what the judge could not take or answer.

    Sent again are ``queue_timeout`` results, broken connections, and 429 and 503. Never a result that
    says ``internal_error``: the judge has already tried several nodes by then, and a program that takes
    nodes down should not be sent round once more. A pause set by an operator uses up no attempt.

    >>> RetryPolicy(attempts=3)
    RetryPolicy(attempts=3, first_pause_s=0.5, longest_pause_s=8.0, jitter=0.25)
    """

    attempts: int = 6
    """Tries in a row that bring no new result, before giving up. 1 means never to try again."""
    first_pause_s: float = 0.5
    """Pause after the first failure; doubled after each further one."""
    longest_pause_s: float = 8.0
    jitter: float = 0.25
    """Share by which a pause is made longer or shorter at random, so that clients do not come back all at
    once."""

    def __post_init__(self) -> None:
        _require(self.attempts > 0, "attempts must be more than 0", self)
        _require(self.first_pause_s >= 0, "first_pause_s must not be negative", self)
        _require(self.longest_pause_s >= 0, "longest_pause_s must not be negative", self)
        _require(0 <= self.jitter <= 1, "jitter must be between 0 and 1", self)

    def pause_s(
        self,
        failures: int,
        retry_after_s: float | None = None,
        spread: Callable[[float, float], float] = random.uniform,
    ) -> float:
        """Seconds to wait after ``failures`` in a row (1 or more), never less than the judge asked for."""
        doubled = min(self.first_pause_s * 2.0 ** min(failures - 1, 60), self.longest_pause_s)
        return max(doubled * spread(1 - self.jitter, 1 + self.jitter), retry_after_s or 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Batching:
    """How a request processor gathers single submissions into batches.

    >>> Batching(concurrency=4)
    Batching(concurrency=4, batch_size=32, batch_timeout_s=0.02, queue_size=10000)
    """

    concurrency: int = 8
    """Sender tasks: batches under way at once."""
    batch_size: int = 32
    """Submissions in one batch at most."""
    batch_timeout_s: float = 0.02
    """Seconds that the last free sender waits for its batch to fill while all others are busy. As long as
    another sender is free, nothing is held back."""
    queue_size: int = 10_000
    """Submissions that wait for a sender; beyond that, callers wait to hand theirs in."""

    def __post_init__(self) -> None:
        _require(self.concurrency > 0, "concurrency must be more than 0", self)
        _require(self.batch_size > 0, "batch_size must be more than 0", self)
        _require(0 <= self.batch_timeout_s < math.inf, "batch_timeout_s must not be negative", self)
        _require(self.queue_size > 0, "queue_size must be more than 0", self)


def _require(holds: bool, what: str, given: object) -> None:
    if not holds:
        raise ValueError(f"{what}: {given!r}")
