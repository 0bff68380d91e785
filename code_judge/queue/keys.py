"""Every Redis key of the queue.

Names begin with ``PREFIX:{PREFIX}:``. The braces are a Redis Cluster hash tag: all keys of one queue live
in one slot, so that a script may touch any of them. Scripts get the shared keys in the order of
:data:`SHARED`, and then the ones that depend on a node, a batch or a master.

===================== ====== ===================================== ======== ============================
key                   type   holds                                 lifetime written by
===================== ====== ===================================== ======== ============================
``queue:CLASS``       zset   waiting work ids of one work class,   queue    submit, give_back, reap;
                             by score (see ``scores`` in the                taken out by claim, cancel
                             decision record)
``queue:suspects``    zset   waiting work ids of any class that    queue    the same, but for submit
                             one more lost node would condemn
``payloads``          hash   work id → WorkPayload as JSON         queue    submit; gone with the answer
                                                                            or on cancel
``leases``            hash   work id → ``score attempt node``      queue    claim, reap; gone with the
                                                                            answer, or on give_back,
                                                                            cancel, reap
``losses``            hash   work id → nodes lost while they had   queue    reap; gone with the answer
                             it                                             or on cancel
``progress``          hash   ``turn``: items handed out so far;    queue    claim
                             class → position of its furthest
                             claimed item
``wake``              list   at most one token; a node without     queue    whoever leaves work waiting;
                             work blocks on it                              popped by nodes
``beats``             zset   node → Redis time of its latest       queue    heartbeat, deregister, reap
                             heartbeat
``nodes``             hash   node → NodeInfo as JSON               queue    heartbeat, deregister, reap
``pulse``             hash   ``latest`` heartbeat of any node;     queue    heartbeat
                             ``steady_since``: when they last
                             came without a gap
``draining``          set    nodes that an operator asked to leave queue    masters; a node drops out
                                                                            with deregister, reap
``paused``            string there while an operator has the       queue    masters
                             cluster paused
``held:NODE``         set    work ids that a node holds            queue    claim, complete, give_back,
                                                                            heartbeat, deregister, reap
``flow:BATCH``        string position of the batch's latest item   a minute submit
``counts``            hash   family, labels → how often, summed    queue    tell
                             over all masters and nodes
``told:PROCESS``      string number of its latest packet of counts 10 min   tell
``failures``          zset   latest failures of the judge's own,    queue    note; the oldest are dropped
                             as JSON, by time
``replies:MASTER``    list   ``work id``, newline, result as JSON  10 min   complete; read by its master
===================== ====== ===================================== ======== ============================

The lifetime *queue* is a day, or twice the longest wait if that is more. Submits and heartbeats renew it
for all of these keys, and whatever else may bring one into being gives it one, so that an abandoned queue
cleans itself up and a used one never lapses.
"""

from dataclasses import dataclass

from code_judge.settings import Settings

from .payload import WorkClass

FLOW_LIFETIME_S = 60
"""Seconds after a batch's latest chunk in which one more still lines up behind it."""

REPLIES_LIFETIME_S = 600
"""Seconds that answers wait for a master process that does not read them."""

TOLD_LIFETIME_S = 600
"""Seconds for which a packet of counts may be sent again without being added twice."""

KEPT_FAILURES = 100
"""Latest failures that are remembered, of all masters together."""

DAY_S = 86_400

DEAD_AFTER_BEATS = 2.0
"""Heartbeat intervals after which a silent node counts as dead. The others look once per interval, so that
its items are back within three."""

CLASSES = tuple(WorkClass)
"""Most urgent first; the place of a class here is its rank in the scripts."""

SHARED = (
    *(f"queue:{work_class}" for work_class in CLASSES),
    "queue:suspects",
    "payloads",
    "leases",
    "losses",
    "progress",
    "wake",
    "beats",
    "nodes",
    "pulse",
    "draining",
    "paused",
)
"""Keys that every script gets, in the order in which ``scripts/prelude.lua`` names them."""


def queue_lifetime_s(settings: Settings) -> int:
    """Seconds that the queue's keys outlive their last change."""
    return max(DAY_S, int(2 * settings.long_batch_max_queue_wait_time))


def dead_after_s(settings: Settings) -> float:
    """Seconds without a heartbeat after which a node counts as dead."""
    return DEAD_AFTER_BEATS * settings.heartbeat_interval


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys of one queue."""

    prefix: str

    def named(self, name: str) -> str:
        """The key of this name from the table above."""
        return f"{self.prefix}:{{{self.prefix}}}:{name}"

    @property
    def shared(self) -> list[str]:
        return [self.named(name) for name in SHARED]

    @property
    def waiting(self) -> list[str]:
        """All queues that an unclaimed item can be in."""
        return self.shared[: len(CLASSES) + 1]

    @property
    def wake(self) -> str:
        return self.named("wake")

    @property
    def beats(self) -> str:
        return self.named("beats")

    @property
    def draining(self) -> str:
        return self.named("draining")

    @property
    def paused(self) -> str:
        return self.named("paused")

    def held(self, node: str) -> str:
        return self.named(f"held:{node}")

    @property
    def counts(self) -> str:
        return self.named("counts")

    @property
    def failures(self) -> str:
        return self.named("failures")

    def told(self, process: str) -> str:
        return self.named(f"told:{process}")

    def flow(self, batch: str) -> str:
        return self.named(f"flow:{batch}")

    def replies(self, master_id: str) -> str:
        return self.named(f"replies:{master_id}")
