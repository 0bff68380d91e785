"""Decides whether new work is taken at all."""

from code_judge.errors import Draining, Paused
from code_judge.queue import MasterQueue

from .lookout import Glance, Lookout

PAUSED_RETRY_S = 5.0
"""When a caller that was refused because of a pause should ask again."""


class Admission:
    """Open, unless this master is stopping or an operator has paused the cluster.

    The pause is kept in Redis and holds for every process of every master: an operator pauses in order
    to work on the cluster, and a process that goes on taking work would defeat that.
    """

    def __init__(self, queue: MasterQueue) -> None:
        self._queue = queue
        self._lookout = Lookout(queue)
        self.draining = False

    async def check(self) -> Glance:
        """How the cluster stands, where new work is taken. Raises Draining, Paused, QueueUnavailable."""
        self.check_not_draining()
        glance = await self._lookout.glance()
        if glance.paused:
            raise Paused("an operator has paused the judge; try again later", retry_after_s=PAUSED_RETRY_S)
        return glance

    def check_not_draining(self) -> None:
        """Raises Draining where this master is stopping."""
        if self.draining:
            raise Draining("this master is stopping; send the request again, to another")

    async def paused(self) -> bool:
        """Whether the cluster is paused. Raises QueueUnavailable."""
        return await self._queue.paused()

    async def set_paused(self, paused: bool) -> None:
        """Pause the cluster or open it again; in force here at once. Idempotent. Raises QueueUnavailable."""
        await self._queue.set_paused(paused)
        self._lookout.forget()
