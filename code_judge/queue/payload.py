"""What travels through the queue."""

from dataclasses import dataclass
from enum import StrEnum

from pydantic import TypeAdapter

from code_judge.contract import Submission


class WorkClass(StrEnum):
    """How urgent an item is. Earlier classes go first; waiting makes every item more urgent."""

    INTERACTIVE = "interactive"
    """``/run`` and ``/judge``."""
    BATCH = "batch"
    """``/run/batch``: answered within seconds or not at all."""
    LONG_BATCH = "long_batch"
    """``/run/long-batch``: waits as long as it takes."""


@dataclass(frozen=True, slots=True)
class WorkPayload:
    """One work item as the queue stores it.

    ``work_id`` is ``{tag}:chunk-index``: the braces make the batch's tag a Redis Cluster hash tag. No model
    of pydantic's: that would check the submission a second time, and a master makes thousands a second.
    """

    work_id: str
    timestamp: float
    """Unix time of acceptance by Redis's clock, in seconds; 0 until the queue has set it."""
    work_class: WorkClass
    long_running: bool
    """Whether it may wait past MAX_QUEUE_WORK_LIFE_TIME (the legacy flag of long batches)."""
    max_wait_s: float
    """Seconds that it may wait; a node that claims it later answers ``queue_timeout`` at once."""
    reply_to: str
    """The master process that waits for the result."""
    submission: Submission
    traceparent: str = ""
    """Ties the run to the request's trace; empty where nothing is traced."""

    @property
    def batch(self) -> str:
        """The part of ``work_id`` that all items of its batch share."""
        return self.work_id.rpartition(":")[0]

    def to_json(self) -> bytes:
        """All of it but the timestamp, which the queue sets."""
        return _CODEC.dump_json(self, exclude={"timestamp"})

    @staticmethod
    def from_json(text: bytes) -> "WorkPayload":
        """Raises ValidationError."""
        return _CODEC.validate_json(text)


_CODEC = TypeAdapter(WorkPayload)


@dataclass(frozen=True, slots=True)
class ClaimedWork:
    """An item that a node holds a lease on."""

    payload: WorkPayload
    attempt: int
    """1 for the first node that gets it."""
    queue_time_s: float
    """How long it waited, by Redis's clock."""

    @property
    def expired(self) -> bool:
        """Whether it waited too long to be worth running."""
        return self.queue_time_s > self.payload.max_wait_s
