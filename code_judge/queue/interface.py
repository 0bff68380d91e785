"""The work queue as its two users see it: masters put work in and collect answers, nodes take it out.

``redis_master_queue.py`` and ``redis_node_queue.py`` implement it. Submitting, cancelling, completing, giving
back and heartbeats may be repeated when in doubt whether Redis has seen them.

The master's side is asynchronous and the node's side is not, since a master is an event loop and a
node is a set of threads. Both raise :class:`~code_judge.errors.QueueUnavailable` when Redis is away.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from code_judge.contract import Failure, NodeInfo, Result
from code_judge.metrics import Counts, Tally

from .payload import ClaimedWork, WorkClass, WorkPayload


class WorkState(StrEnum):
    """Where an unanswered item is."""

    QUEUED = "queued"
    LEASED = "leased"
    GONE = "gone"
    """Neither waiting nor held by a node: answered just now, or lost with Redis's data."""


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer off a master's reply list. ``result`` is the full result as JSON, not yet parsed."""

    work_id: str
    result: bytes


@dataclass(frozen=True, slots=True)
class ClusterView:
    """The queue and its nodes at one moment."""

    nodes: list[NodeInfo]
    """Live nodes only."""
    queued: dict[WorkClass, int]
    in_flight: int
    """Items leased to nodes."""


class MasterQueue(Protocol):
    """The queue of one master process."""

    master_id: str
    tally: Tally
    """What this master process counts."""

    async def submit(self, items: Sequence[WorkPayload]) -> float:
        """Put one chunk in; either all of it is accepted or none. Returns the chunk's last score.

        Its items belong to one batch and one class. Those that the queue has already are left as they are.
        Raises QueueFull where it would not fit, QueueUnavailable where Redis cannot be reached.
        """
        ...

    async def replies(self, wait_s: float) -> list[Reply]:
        """Answers for this master, waiting at most ``wait_s`` for the first; empty after that."""
        ...

    async def head_score(self) -> float | None:
        """Peek at the queue: the score of its head, or None where it is empty.

        A head past a chunk's last score means that all of the chunk is claimed or answered (or lost). The
        opposite need not hold: every class has its turns, and more urgent work may stand at the head.
        """
        ...

    async def states(self, work_ids: Sequence[str]) -> dict[str, WorkState]:
        """Where each of these items is."""
        ...

    async def cancel(self, work_ids: Sequence[str]) -> None:
        """Take unclaimed items out; have the nodes kill the running ones. Idempotent.

        The nodes hear of it with their next heartbeats. None of these items is answered any more.
        """
        ...

    async def cluster(self) -> ClusterView: ...

    async def length(self) -> int:
        """Items waiting."""
        ...

    async def oldest_waits(self) -> dict[WorkClass, float]:
        """Seconds that the oldest waiting item of each class has waited; 0 where none waits."""
        ...

    async def tell_tally(self) -> None:
        """Add what this process has counted to what the cluster has; tells nothing twice."""
        ...

    async def counts(self) -> Counts:
        """What all masters and nodes have told so far, also those that are gone."""
        ...

    async def note_failures(self, failures: Sequence[Failure]) -> None:
        """Add these to the latest failures that all masters remember together, with the time."""
        ...

    async def failures(self) -> list[Failure]:
        """The latest failures of the judge, newest first; a bounded number."""
        ...

    async def set_paused(self, paused: bool) -> None:
        """Have all masters of the cluster refuse new work, or take it again. Idempotent."""
        ...

    async def paused(self) -> bool:
        """Whether an operator has paused the cluster."""
        ...

    async def drain(self, node: str) -> bool:
        """Have a node finish what it has and leave, as after SIGTERM; False where no such node is alive.

        The node hears of it with its next heartbeat. Idempotent.
        """
        ...

    async def close(self) -> None: ...


class NodeQueue(Protocol):
    """The queue of one node. Every method may be called from any thread."""

    @property
    def drain_asked(self) -> bool:
        """Whether, as of the latest heartbeat, an operator wants this node to leave."""
        ...

    def heartbeat(self, node: NodeInfo) -> Sequence[str]:
        """Register or renew this node; returns the ids of its items that were cancelled."""
        ...

    def claim(self, max_items: int, wait_s: float) -> Sequence[ClaimedWork]:
        """Lease up to ``max_items``, waiting at most ``wait_s`` for the first."""
        ...

    def complete(self, results: Sequence[tuple[ClaimedWork, Result]]) -> None:
        """Answer items. Those whose lease is no longer this node's are dropped: another answers."""
        ...

    def give_back(self, work: Sequence[ClaimedWork]) -> None:
        """Return leased items to the head of the queue, as not attempted."""
        ...

    def deregister(self) -> None:
        """Leave the cluster: nothing of this node counts any more."""
        ...

    def close(self) -> None: ...
