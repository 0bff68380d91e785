"""A work queue in memory, and a node that answers as a test's script says.

For tests of the master alone. It keeps the promises of ``MasterQueue`` and no more: what Redis does to
them is the business of the queue's own tests.
"""

import asyncio
from collections.abc import Callable, Sequence
from itertools import count

from code_judge.contract import Failure, LanguageInfo, NodeInfo, Result, Submission, Verdict
from code_judge.errors import QueueFull, QueueUnavailable
from code_judge.metrics import Counts, Tally
from code_judge.queue import ClusterView, Reply, WorkClass, WorkPayload, WorkState

NODE = NodeInfo(
    name="node-1",
    host="host-1",
    pid=1,
    version="0",
    started_at=0.0,
    slots=4,
    languages=[LanguageInfo(name=name, version="1") for name in ("cpp", "jupyter", "python")],
)


class MemoryQueue:
    """One master's queue. Tests set its public fields to make Redis fail or forget."""

    def __init__(self, max_length: int = 1_000_000) -> None:
        self.master_id = "master-1"
        self.tally = Tally()
        self.told: Counts = {}
        """What this master and (by the test's hand) others have told."""
        self.max_length = max_length
        self.available = True
        self.is_paused = False
        self.nodes = [NODE]
        self.waiting: dict[str, tuple[float, WorkPayload]] = {}
        self.leased: dict[str, WorkPayload] = {}
        self.cancelled: list[str] = []
        self.chunks: list[list[WorkPayload]] = []
        """Every chunk that was ever submitted."""
        self.arrival = asyncio.Event()
        self.closed = False
        self.drained: list[str] = []
        self.noted: list[Failure] = []
        self._scores = count(1)
        self._replies: list[Reply] = []
        self._answered = asyncio.Event()
        self._broken = False

    # MasterQueue

    async def submit(self, items: Sequence[WorkPayload]) -> float:
        self._reach()
        if len(self.waiting) + len(items) > self.max_length:
            raise QueueFull("the queue is full")
        self.chunks.append(list(items))
        score = 0.0
        for item in items:
            score = float(next(self._scores))
            self.waiting[item.work_id] = (score, item)
        self.arrival.set()
        return score

    async def replies(self, wait_s: float) -> list[Reply]:
        self._reach()
        try:
            await asyncio.wait_for(self._answered.wait(), wait_s)
        except TimeoutError:
            return []
        self._answered.clear()
        if self._broken:
            self._broken = False
            raise QueueUnavailable("the connection broke")
        replies, self._replies = self._replies, []
        return replies

    async def head_score(self) -> float | None:
        self._reach()
        return min((score for score, _ in self.waiting.values()), default=None)

    async def states(self, work_ids: Sequence[str]) -> dict[str, WorkState]:
        self._reach()
        return {work_id: self._state(work_id) for work_id in work_ids}

    async def cancel(self, work_ids: Sequence[str]) -> None:
        self._reach()
        self.cancelled += work_ids
        for work_id in work_ids:
            self.waiting.pop(work_id, None)
            self.leased.pop(work_id, None)

    async def cluster(self) -> ClusterView:
        self._reach()
        queued = dict.fromkeys(WorkClass, 0)
        for _, item in self.waiting.values():
            queued[item.work_class] += 1
        return ClusterView(nodes=self.nodes, queued=queued, in_flight=len(self.leased))

    async def length(self) -> int:
        self._reach()
        return len(self.waiting)

    async def oldest_waits(self) -> dict[WorkClass, float]:
        self._reach()
        return dict.fromkeys(WorkClass, 0.0)

    async def tell_tally(self) -> None:
        self._reach()
        if packet := self.tally.packet():
            for key, by in packet.counts.items():
                self.told[key] = self.told.get(key, 0) + by
            self.tally.told(packet)

    async def counts(self) -> Counts:
        self._reach()
        return self.told

    async def note_failures(self, failures: Sequence[Failure]) -> None:
        self._reach()
        self.noted += failures

    async def failures(self) -> list[Failure]:
        self._reach()
        return self.noted[::-1]

    async def set_paused(self, paused: bool) -> None:
        self._reach()
        self.is_paused = paused

    async def paused(self) -> bool:
        self._reach()
        return self.is_paused

    async def drain(self, node: str) -> bool:
        self._reach()
        if not any(info.name == node for info in self.nodes):
            return False
        self.drained.append(node)
        return True

    async def close(self) -> None:
        self.closed = True

    # The node's side, and accidents

    def claim(self) -> list[WorkPayload]:
        """Lease all that waits, most urgent first."""
        items = [item for _, item in sorted(self.waiting.values(), key=lambda entry: entry[0])]
        self.leased.update({item.work_id: item for item in items})
        self.waiting.clear()
        return items

    def complete(self, work_id: str, result: Result) -> None:
        """Answer an item, if its lease still stands."""
        if self.leased.pop(work_id, None):
            self._replies.append(Reply(work_id, result.model_dump_json().encode()))
            self._answered.set()

    def lose_everything(self) -> None:
        """Redis came back empty."""
        self.waiting.clear()
        self.leased.clear()
        self._replies.clear()

    def restart_empty(self) -> None:
        """Redis came back empty, and whoever was reading has seen its connection break."""
        self.lose_everything()
        self._broken = True
        self._answered.set()

    def _state(self, work_id: str) -> WorkState:
        if work_id in self.waiting:
            return WorkState.QUEUED
        return WorkState.LEASED if work_id in self.leased else WorkState.GONE

    def _reach(self) -> None:
        if not self.available:
            raise QueueUnavailable("Redis cannot be reached")


Script = Callable[[Submission], Result | None]
"""What a node makes of a submission; None: it never gets done with it."""


def echo(submission: Submission) -> Result:
    """Every program prints its own input, in no time at all."""
    return Result.of(
        submission.sub_id or "",
        Verdict.RAN if submission.expected_output is None else Verdict.ACCEPTED,
        stdout=submission.input or "",
        cost=0.25,
        node=NODE.name,
        attempts=1,
    )


class ScriptedNode:
    """A node that claims whatever there is and answers by its script."""

    def __init__(self, queue: MemoryQueue, script: Script = echo) -> None:
        self._queue = queue
        self._script = script
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> "ScriptedNode":
        self._task = asyncio.create_task(self._run())
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._task
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        while True:
            await self._queue.arrival.wait()
            self._queue.arrival.clear()
            for item in self._queue.claim():
                result = self._script(item.submission)
                if result:
                    self._queue.complete(item.work_id, result)
