"""Masters and nodes of one queue, over fakeredis or over a server, for the queue's own specification."""

from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import Any

from redis import Redis

from code_judge.contract import NodeInfo, Result, Submission, Verdict
from code_judge.queue import ClaimedWork, WorkClass, WorkPayload
from code_judge.queue.keys import Keys
from code_judge.queue.redis_master_queue import RedisMasterQueue
from code_judge.queue.redis_node_queue import RedisNodeQueue
from code_judge.settings import Settings

AN_HOUR_S = 3600.0


def info(name: str, **fields: Any) -> NodeInfo:
    return NodeInfo(name=name, host="host", pid=1, version="1", started_at=0.0, slots=4, **fields)


def ids(items: Sequence[ClaimedWork] | Sequence[WorkPayload]) -> list[str]:
    """The last parts of the work ids."""
    return [(item.payload if isinstance(item, ClaimedWork) else item).work_id.split(":")[1] for item in items]


class Node:
    """One node without threads: every step is a call."""

    def __init__(self, name: str, queue: RedisNodeQueue) -> None:
        self.name = name
        self.queue = queue

    def beat(self) -> list[str]:
        """Heartbeat; the ids of cancelled items."""
        return [work_id.split(":")[1] for work_id in self.queue.heartbeat(info(self.name))]

    def claim(self, max_items: int = 1000, wait_s: float = 0.0) -> list[ClaimedWork]:
        return list(self.queue.claim(max_items, wait_s))

    def complete(self, *work: ClaimedWork, stdout: str = "") -> None:
        """Answer with a result that says which node and which attempt it is from."""
        self.queue.complete([(item, self.result(item, stdout)) for item in work])

    def result(self, work: ClaimedWork, stdout: str = "") -> Result:
        return Result.of(
            work.payload.submission.sub_id or "",
            Verdict.RAN,
            stdout=stdout,
            node=self.name,
            attempts=work.attempt,
        )


class QueueCluster:
    """Opens masters and nodes, and does to Redis what only a test may do."""

    def __init__(
        self,
        settings: Settings,
        open_client: Callable[..., Any],
        open_async_client: Callable[..., Any],
    ) -> None:
        self.settings = settings
        self.keys = Keys(settings.redis_key_prefix)
        self.redis = open_client(settings, 1, repeatable=True)
        self.open_client = open_client
        self._open_async_client = open_async_client
        self._masters: list[RedisMasterQueue] = []
        self._nodes: list[Node] = []
        self._names = count(1)
        self._batches = count(1)

    def master(self, **settings: Any) -> RedisMasterQueue:
        changed = self.settings.model_copy(update=settings)
        self._masters.append(RedisMasterQueue(changed, self._open_async_client))
        return self._masters[-1]

    def node(self, open_client: Callable[..., Redis] | None = None, **settings: Any) -> Node:
        """A node that has registered."""
        name = f"node-{next(self._names)}"
        changed = self.settings.model_copy(update=settings)
        node = Node(name, RedisNodeQueue(changed, name, open_client or self.open_client))
        node.beat()
        self._nodes.append(node)
        return node

    def items(
        self, master: RedisMasterQueue, size: int, work_class: WorkClass = WorkClass.LONG_BATCH, **fields: Any
    ) -> list[WorkPayload]:
        """A batch of one chunk, named by letter and number: ``a0``, ``a1``, …, then ``b0``, …"""
        batch = chr(ord("a") - 1 + next(self._batches))
        return [
            WorkPayload(
                work_id=f"{{{batch}}}:{batch}{i}",
                timestamp=0.0,
                work_class=work_class,
                long_running=work_class is WorkClass.LONG_BATCH,
                max_wait_s=fields.get("max_wait_s", 60.0),
                reply_to=master.master_id,
                submission=Submission(sub_id=f"{batch}{i}", type="python", solution="print(1)"),
            )
            for i in range(size)
        ]

    async def put(
        self, master: RedisMasterQueue, size: int, work_class: WorkClass = WorkClass.LONG_BATCH, **fields: Any
    ) -> list[WorkPayload]:
        """Submit such a batch."""
        items = self.items(master, size, work_class, **fields)
        await master.submit(items)
        return items

    def silence(self, node: Node, for_s: float = AN_HOUR_S) -> None:
        """As if the node had not beaten for so long, and the others had all the time."""
        self.redis.zincrby(self.keys.named("beats"), -for_s, node.name)
        self.redis.hset(self.keys.named("pulse"), "steady_since", 0)

    def own_keys(self) -> Iterator[str]:
        """All keys of this queue that there are."""
        return (key.decode() for key in self.redis.scan_iter(f"{self.settings.redis_key_prefix}*"))

    async def close(self) -> None:
        for master in self._masters:
            await master.close()
        for node in self._nodes:
            node.queue.close()
        for key in list(self.own_keys()):
            self.redis.delete(key)
        self.redis.close()


async def results(master: RedisMasterQueue, wait_s: float = 0.0) -> list[Result]:
    """The answers that are there, waiting at most so long for the first."""
    return [Result.model_validate_json(reply.result) for reply in await master.replies(wait_s)]
