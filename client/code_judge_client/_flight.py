"""One batch of a request processor under way."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from code_judge.contract import Result

from ._config import RetryPolicy
from ._errors import JudgeClientError
from ._exchange import Exchange, Outcome, Parcel, Route
from ._transport import Transport

ROUTE = Route.for_batch(judge=False, long=True)


@dataclass(frozen=True, slots=True, eq=False)
class Item:
    """One request, and the future on which its caller waits."""

    parcel: Parcel
    future: "asyncio.Future[Result]"
    deadline: float | None
    """When its caller stops waiting, by the event loop's clock."""

    @property
    def wanted(self) -> bool:
        return not self.future.done()


class Flight:
    """Sends a batch and completes each item's future as its result comes.

    When nobody waits any more for what is missing, the connection is closed, so that the judge drops it.
    """

    def __init__(self, transport: Transport, items: Sequence[Item], retry: RetryPolicy) -> None:
        self._items = items
        self._waiting = len(items)
        self.failed = 0
        """Items that got an error and no result."""
        self._exchange = Exchange(
            transport,
            ROUTE,
            [item.parcel for item in items],
            retry=retry,
            deadline=_latest(items),
            deliver=self._deliver,
            wanted=lambda index: items[index].wanted,
        )

    @property
    def dropped(self) -> int:
        """Items whose callers left before there was a result."""
        return sum(item.future.cancelled() for item in self._items)

    async def run(self) -> None:
        """Every item's future is done afterwards, unless this is cancelled."""
        sending = asyncio.create_task(self._exchange.run())
        for item in self._items:
            item.future.add_done_callback(lambda _: self._one_is_done(sending))
        try:
            await asyncio.wait([sending])
        finally:
            sending.cancel()
            await asyncio.wait([sending])  # the connection is closed then, or free for the next batch
        if not sending.cancelled() and (error := sending.exception()):
            for item in self._items:
                if item.wanted:
                    item.future.set_exception(error)

    def _deliver(self, index: int, outcome: Outcome) -> None:
        item = self._items[index]
        if not item.wanted:
            return
        if isinstance(outcome, JudgeClientError):
            self.failed += 1
            item.future.set_exception(outcome)
        else:
            item.future.set_result(outcome)

    def _one_is_done(self, sending: "asyncio.Task[None]") -> None:
        self._waiting -= 1
        if not self._waiting and self._exchange.waiting:
            sending.cancel()


def _latest(items: Sequence[Item]) -> float | None:
    """When the last caller stops waiting; None if one waits as long as it takes."""
    deadlines = [item.deadline for item in items if item.deadline is not None]
    return max(deadlines) if len(deadlines) == len(items) else None
