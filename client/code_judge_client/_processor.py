"""The request processor: single requests from many callers, sent in batches by a few senders."""

import asyncio
import concurrent.futures
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

from code_judge.contract import Result, Submission

from ._client import DEFAULT_URL
from ._config import Batching, Limits, RetryPolicy, Timeout
from ._errors import ClientClosed, JudgeTimeout
from ._exchange import Parcel
from ._flight import Flight, Item
from ._state import State
from ._stats import Statistics
from ._transport import Transport, http_transport

PATIENT = RetryPolicy(attempts=10)
"""About 45 s, as long as a judge may take to restart: a trainer's step should not be lost to that."""


class RequestProcessor:
    """Gathers requests into batches for ``/run/long-batch``.

    ::

        async with RequestProcessor("http://judge:8088", batching=Batching(concurrency=8)) as processor:
            result = await processor.send_request(Submission(type="python", solution="print(6 * 7)"))

    ``concurrency`` sender tasks share one queue. Each takes the first request, fills its batch with what
    waits, and sends it; each request is answered as soon as its own result is there. The senders live in
    the event loop in which :meth:`start` ran; callers in other loops and threads are bridged to it.
    """

    def __init__(
        self,
        url: str = DEFAULT_URL,
        *,
        batching: Batching = Batching(),  # noqa: B008 - frozen
        api_key: str | None = None,
        timeout: Timeout = Timeout(),  # noqa: B008 - frozen
        retry: RetryPolicy = PATIENT,
        transport: Transport | None = None,
    ) -> None:
        """``transport`` replaces the network in tests. ``timeout.total_s`` holds for each request that names
        no timeout of its own."""
        self.url = url
        self._state = State.UNOPENED
        self._serving: asyncio.Task[None] | None = None
        self._batching = batching
        self._api_key = api_key
        self._timeout = timeout
        self._retry = retry
        self._given_transport = transport
        self._statistics = Statistics()
        self._unanswered: set[Item] = set()
        self._idle = 0
        """Senders that wait for a first request."""
        self._flying = 0
        """Senders with a batch under way."""
        self._holds: set[asyncio.Timeout] = set()
        """Of senders that wait for their batches to fill."""

    # Lifecycle

    @property
    def state(self) -> State:
        """Closed, too, where the event loop was closed under it."""
        return State.CLOSED if self._serving and self._loop.is_closed() else self._state

    async def start(self) -> None:
        """Make the senders in this event loop. Idempotent. Raises ClientClosed after :meth:`stop`."""
        if self.state is State.CLOSED:
            raise ClientClosed("this request processor has been stopped; make a new one")
        if self.state is State.UNOPENED:
            self._loop = asyncio.get_running_loop()
            self._queue: asyncio.Queue[Item] = asyncio.Queue(self._batching.queue_size)
            self._transport = self._given_transport or http_transport(
                self.url, self._api_key, self._timeout, Limits(connections=self._batching.concurrency)
            )
            self._serving = asyncio.create_task(self._serve())
            self._state = State.OPEN

    async def _serve(self) -> None:
        """Keep the senders alive until this is cancelled: by :meth:`stop`, or where the event loop ends
        without it. The order at the end matters: senders still use the connections."""
        senders = [asyncio.create_task(self._send_batches()) for _ in range(self._batching.concurrency)]
        try:
            await asyncio.gather(*senders)
        finally:
            self._state = State.CLOSED
            for sender in senders:
                sender.cancel()
            await asyncio.gather(*senders, return_exceptions=True)
            await self._fail_unanswered()
            await self._transport.close()

    async def _fail_unanswered(self) -> None:
        while self._unanswered:
            for item in self._unanswered:
                if item.wanted:
                    item.future.set_exception(ClientClosed("the request processor was stopped"))
            while not self._queue.empty():
                self._queue.get_nowait()  # makes room for callers that still wait to hand theirs in
            await asyncio.sleep(0)

    async def stop(self, *, drain: bool = True) -> None:
        """Take no more requests, let those taken be answered, and close the connections. Idempotent.

        Without ``drain``, what is unanswered fails with ClientClosed, and the judge drops it; so it can cut
        short a stop that is still waiting for answers.
        """
        self._state = State.CLOSED
        if self._serving is None or self._loop.is_closed():
            return
        stopping = self._stop(self._serving, drain)
        if asyncio.get_running_loop() is not self._loop:
            await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(stopping, self._loop))
        else:
            await stopping

    async def _stop(self, serving: "asyncio.Task[None]", drain: bool) -> None:
        while drain and self._unanswered and not serving.done():
            await asyncio.wait([item.future for item in self._unanswered])
        if not serving.cancelling():  # a second time, it would interrupt what the first one has begun
            serving.cancel()
        await asyncio.wait([serving])

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop(drain=error is None)

    # Requests

    async def send_request(
        self,
        request_payload: Submission,
        timeout: float | None = None,  # noqa: ASYNC109 - the name that callers know
    ) -> Result:
        """The result of one submission, from any event loop.

        ``timeout`` is in seconds, waiting and retries included. Cancelling the call drops the request.
        Raises JudgeTimeout, JudgeUnavailable, ClientClosed, and the rest of the tree in ``_errors.py``.
        """
        if self.state is State.OPEN and asyncio.get_running_loop() is not self._loop:
            return await asyncio.wrap_future(self.submit_threadsafe(request_payload, timeout))
        return await self._answer(request_payload, timeout)

    async def send_requests(
        self,
        request_payloads: Sequence[Submission],
        timeout: float | None = None,  # noqa: ASYNC109 - the name that callers know
    ) -> list[Result | BaseException]:
        """The result or the error of each, in their order; one that fails, fails alone."""
        calls = (self.send_request(payload, timeout) for payload in request_payloads)
        return await asyncio.gather(*calls, return_exceptions=True)

    def submit_threadsafe(
        self, request_payload: Submission, timeout: float | None = None
    ) -> "concurrent.futures.Future[Result]":
        """The same for threads without an event loop: a future whose ``result()`` blocks.

        Raises ClientClosed where the processor does not run.
        """
        if self.state is not State.OPEN:
            raise self._not_running()
        answer = self._answer(request_payload, timeout)
        try:
            return asyncio.run_coroutine_threadsafe(answer, self._loop)
        except RuntimeError:  # the loop was closed since the line above
            answer.close()
            raise self._not_running() from None

    async def _answer(self, payload: Submission, timeout_s: float | None) -> Result:
        if self.state is not State.OPEN:
            raise self._not_running()
        seconds = self._timeout.total_s if timeout_s is None else timeout_s
        deadline = None if seconds is None else self._loop.time() + seconds
        item = Item(Parcel.of(payload), self._loop.create_future(), deadline)
        self._unanswered.add(item)
        try:
            async with asyncio.timeout_at(deadline):
                await self._queue.put(item)
                return await item.future
        except TimeoutError:
            raise JudgeTimeout(f"no result within {seconds} s") from None
        finally:
            item.future.cancel()  # unless it is done
            self._unanswered.discard(item)

    def _not_running(self) -> ClientClosed:
        return ClientClosed(
            f"the request processor is {self.state}; it takes requests between start() and stop()"
        )

    # Senders

    async def _send_batches(self) -> None:
        while True:
            batch = [item for item in await self._gather() if item.wanted]
            if batch:
                await self._send(batch)

    async def _gather(self) -> list[Item]:
        """The first request, and with it as many as one batch holds of those that wait."""
        self._idle += 1
        self._release_holds()
        try:
            batch = [await self._queue.get()]
        finally:
            self._idle -= 1
        while len(batch) < self._batching.batch_size and not self._queue.empty():
            batch.append(self._queue.get_nowait())
        # Where this is the last free sender, whoever comes next must wait for a batch to come back: better
        # to take some more along. Where another is free, or none is under way, there is nothing to gain.
        if not self._idle and self._flying:
            await self._fill(batch)
        return batch

    async def _fill(self, batch: list[Item]) -> None:
        """Wait for the batch to be full, but at most the batch timeout, and only until a sender is free."""
        try:
            async with asyncio.timeout(self._batching.batch_timeout_s) as hold:
                self._holds.add(hold)
                while len(batch) < self._batching.batch_size:
                    batch.append(await self._queue.get())
        except TimeoutError:
            pass
        finally:
            self._holds.discard(hold)

    def _release_holds(self) -> None:
        for hold in self._holds:
            if not hold.expired():
                hold.reschedule(self._loop.time())

    async def _send(self, batch: list[Item]) -> None:
        flight = Flight(self._transport, batch, self._retry)
        self._statistics.batch_begins(len(batch))
        statistics, started = self._statistics, self._loop.time()
        self._flying += 1
        try:
            await flight.run()
        finally:
            self._flying -= 1
            statistics.batch_ends(self._loop.time() - started, failed=flight.failed, dropped=flight.dropped)

    # Statistics

    def get_stats(self) -> dict[str, Any]:
        """Batches, items, sizes and times in seconds since the start or the last reset."""
        return self._statistics.as_dict()

    def print_stats(self) -> None:
        """The same, for people."""
        print(self._statistics.as_text())

    def reset_stats(self) -> None:
        """Count from zero again. Batches under way count for the time before."""
        self._statistics = Statistics()
