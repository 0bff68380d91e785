"""What a master must know of the cluster before it takes work."""

import asyncio
from dataclasses import dataclass

from code_judge.queue import MasterQueue

FRESH_S = 1.0
"""Seconds for which a glance is used again, so that not every request asks Redis. A pause is in force
everywhere after this long."""


@dataclass(frozen=True, slots=True)
class Glance:
    """The cluster a moment ago."""

    paused: bool
    languages: frozenset[str]
    """What the live nodes offer; empty where none is alive, and then nothing is refused: one may yet come."""


class Lookout:
    """Looks at the cluster when asked, but not more often than it has to."""

    def __init__(self, queue: MasterQueue) -> None:
        self._queue = queue
        self._look: asyncio.Task[Glance] | None = None
        self._fresh_until = 0.0

    async def glance(self) -> Glance:
        """How things stand. Raises QueueUnavailable.

        Whoever asks while a look is under way waits for that one: a Redis that hangs is asked once, not
        by every request.
        """
        if self._look is None or (self._look.done() and self._is_stale(self._look)):
            self._look = asyncio.create_task(self._ask())
        return await asyncio.shield(self._look)

    def forget(self) -> None:
        """Look again next time: something was just changed."""
        self._look = None

    def _is_stale(self, look: asyncio.Task[Glance]) -> bool:
        return look.exception() is not None or asyncio.get_running_loop().time() >= self._fresh_until

    async def _ask(self) -> Glance:
        paused = await self._queue.paused()
        view = await self._queue.cluster()
        self._fresh_until = asyncio.get_running_loop().time() + FRESH_S
        return Glance(paused, frozenset(lang.name for node in view.nodes for lang in node.languages))
