"""Decides whether new work is taken at all."""

import asyncio

from code_judge.errors import Draining, Paused
from code_judge.queue import MasterQueue

FRESH_S = 0.5
"""Seconds for which what Redis said is used again: a pause is in force everywhere after this long."""
PAUSED_RETRY_S = 5.0
"""When a caller that was refused because of a pause should ask again."""


class Admission:
    """Open, unless this master is stopping or an operator has paused the cluster.

    The pause is kept in Redis and holds for every process of every master: an operator pauses in order
    to work on the cluster, and a process that goes on taking work would defeat that.
    """

    def __init__(self, queue: MasterQueue) -> None:
        self._queue = queue
        self._paused = False
        self._stale_at = 0.0
        self.draining = False

    async def check(self) -> None:
        """Raises Draining or Paused where new work is not taken, QueueUnavailable where none could be."""
        if self.draining:
            raise Draining("this master is stopping; send the request again, to another")
        if await self.paused():
            raise Paused("an operator has paused the judge; try again later", retry_after_s=PAUSED_RETRY_S)

    async def paused(self) -> bool:
        """Whether the cluster is paused. Raises QueueUnavailable."""
        now = asyncio.get_running_loop().time()
        if now >= self._stale_at:
            self._paused = await self._queue.paused()
            self._stale_at = now + FRESH_S
        return self._paused

    async def set_paused(self, paused: bool) -> None:
        """Pause the cluster or open it again; in force here at once. Idempotent. Raises QueueUnavailable."""
        await self._queue.set_paused(paused)
        self._stale_at = 0.0
