"""Which languages the cluster offers right now."""

import asyncio

from code_judge.queue import MasterQueue

FRESH_S = 1.0
"""Seconds for which an answer is used again, so that not every request asks Redis."""


class Languages:
    """The languages that live nodes offer."""

    def __init__(self, queue: MasterQueue) -> None:
        self._queue = queue
        self._lock = asyncio.Lock()
        self._offered: frozenset[str] = frozenset()
        self._stale_at = 0.0

    async def offered(self) -> frozenset[str]:
        """The names; empty where no node is alive, and then nothing is refused: a node may yet come.

        Raises QueueUnavailable.
        """
        clock = asyncio.get_running_loop().time
        async with self._lock:
            if clock() >= self._stale_at:
                view = await self._queue.cluster()
                self._offered = frozenset(lang.name for node in view.nodes for lang in node.languages)
                self._stale_at = clock() + FRESH_S
        return self._offered
