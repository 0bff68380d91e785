"""The asynchronous client: one method per thing that the judge does."""

import asyncio
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from types import TracebackType
from typing import Self, TypeVar
from urllib.parse import quote

from pydantic import BaseModel, ValidationError

from code_judge.contract import Cluster, NodeInfo, Result, Status, Submission

from ._answers import read_json, refusal
from ._config import Limits, RetryPolicy, Timeout
from ._errors import BadAnswer, ClientClosed, JudgeClientError, JudgeTimeout
from ._exchange import Deliver, Exchange, Outcome, Parcel, Route
from ._state import State
from ._transport import Request, Transport, http_transport, read_all

DEFAULT_URL = "http://localhost:8088"
BYTES_PER_MB = 1_000_000

Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class IndexedResult:
    """A result of a batch, with its submission's place in it."""

    index: int
    result: Result


class JudgeClient:
    """Talks to one judge.

    ::

        async with JudgeClient("http://judge:8088") as judge:
            result = await judge.run(Submission(type="python", solution="print(6 * 7)"))

    It opens by itself at its first call, belongs to the event loop of that call, and stays closed once it
    is closed. Calls may run side by side.
    """

    def __init__(
        self,
        url: str = DEFAULT_URL,
        *,
        api_key: str | None = None,
        timeout: Timeout = Timeout(),  # noqa: B008 - frozen
        limits: Limits = Limits(),  # noqa: B008 - frozen
        retry: RetryPolicy = RetryPolicy(),  # noqa: B008 - frozen
        transport: Transport | None = None,
    ) -> None:
        """``api_key`` is sent where the judge wants one. ``transport`` replaces the network in tests."""
        self.url = url
        self.state = State.UNOPENED
        self._timeout = timeout
        self._limits = limits
        self._retry = retry
        self._api_key = api_key
        self._given_transport = transport
        self._transport: Transport | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    # Lifecycle

    async def open(self) -> Self:
        """Make ready for calls; ``async with`` does it. Raises ClientClosed after :meth:`close`."""
        self._opened()
        return self

    async def close(self) -> None:
        """Close all connections; calls under way fail. Idempotent."""
        self.state = State.CLOSED
        if self._transport:
            await self._transport.close()

    async def __aenter__(self) -> Self:
        return await self.open()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    # Calls

    async def run(self, submission: Submission, *, timeout_s: float | None = None) -> Result:
        """Run one program, ahead of all batches.

        ``timeout_s`` includes retries. Raises RequestRefused for a submission that the judge
        will not take, JudgeTimeout, JudgeUnavailable, and the rest of the tree in ``_errors.py``.
        """
        return await self._single(submission, Route.single(judge=False), timeout_s)

    async def judge(self, submission: Submission, *, timeout_s: float | None = None) -> Result:
        """The same, without the program's output in the result."""
        return await self._single(submission, Route.single(judge=True), timeout_s)

    async def run_batch(
        self,
        submissions: Sequence[Submission],
        *,
        judge: bool = False,
        long: bool = True,
        timeout_s: float | None = None,
    ) -> list[Result]:
        """Run many programs; the results are in the order of the submissions.

        ``judge`` leaves the programs' output out. ``long`` lets them wait as long as it takes; without it,
        what waits longer than the judge's MAX_QUEUE_WORK_LIFE_TIME is given up and sent again. ``timeout_s``
        is for all of it. Raises as :meth:`stream` does.
        """
        found: dict[int, Result] = {}
        async for item in self.stream(submissions, judge=judge, long=long, timeout_s=timeout_s):
            found[item.index] = item.result
        return [found[index] for index in range(len(submissions))]

    async def stream(
        self,
        submissions: Sequence[Submission],
        *,
        judge: bool = False,
        long: bool = True,
        timeout_s: float | None = None,
    ) -> AsyncGenerator[IndexedResult]:
        """The same, each result as soon as it is there. Leaving the loop early drops the rest.

        A submission that the judge cannot judge fails alone, with the verdict ``invalid_input``. Where some
        got no answer at all, the first one's error is raised after all results that did come; its
        ``answered`` holds them.
        """
        answered: dict[int, Result] = {}
        errors: list[JudgeClientError] = []
        outcomes = self._outcomes(submissions, Route.for_batch(judge=judge, long=long), timeout_s)
        try:
            async for index, outcome in outcomes:
                if isinstance(outcome, JudgeClientError):
                    errors.append(outcome)
                else:
                    answered[index] = outcome
                    yield IndexedResult(index, outcome)
        finally:
            await outcomes.aclose()
        if errors:
            errors[0].answered = answered
            errors[0].add_note(f"{len(errors)} of {len(submissions)} submissions have no answer")
            raise errors[0]

    async def status(self) -> Status:
        """How many submissions wait, and how many worker threads there are."""
        return await self._get("/status", Status)

    async def cluster(self) -> Cluster:
        """The nodes with what they offer and how they are protected, and the queue by class."""
        return await self._get("/cluster", Cluster)

    async def drain(self, node: str) -> NodeInfo:
        """Have a node finish what it has in hand and leave; returns what it told of itself last. It is gone
        once :meth:`cluster` does not list it any more. Raises RequestRefused where no such node is alive.
        """
        return await self._ask("POST", f"/admin/drain/{quote(node)}", NodeInfo)

    # How

    def _opened(self) -> Transport:
        loop = asyncio.get_running_loop()
        if self.state is State.CLOSED:
            raise ClientClosed("this client has been closed; make a new one")
        if self._transport is None:
            self._transport = self._given_transport or http_transport(
                self.url, self._api_key, self._timeout, self._limits
            )
            self.state, self._loop = State.OPEN, loop
        if loop is not self._loop:
            raise ClientClosed(
                "this client was opened in another event loop; use one client per loop, or SyncJudgeClient"
            )
        return self._transport

    def _deadline(self, timeout_s: float | None) -> float | None:
        seconds = self._timeout.total_s if timeout_s is None else timeout_s
        return None if seconds is None else asyncio.get_running_loop().time() + seconds

    def _exchange(
        self, route: Route, parcels: Sequence[Parcel], deadline: float | None, deliver: Deliver
    ) -> Exchange:
        return Exchange(self._opened(), route, parcels, retry=self._retry, deadline=deadline, deliver=deliver)

    async def _single(self, submission: Submission, route: Route, timeout_s: float | None) -> Result:
        outcomes: list[Outcome] = []
        parcels = [Parcel.of(submission)]
        exchange = self._exchange(
            route, parcels, self._deadline(timeout_s), lambda _, outcome: outcomes.append(outcome)
        )
        await exchange.run()
        [outcome] = outcomes
        if isinstance(outcome, JudgeClientError):
            raise outcome
        return outcome

    async def _outcomes(
        self, submissions: Sequence[Submission], route: Route, timeout_s: float | None
    ) -> AsyncGenerator[tuple[int, Outcome]]:
        """Each submission's outcome as it comes. What is too much for one request is sent as several."""
        ready: asyncio.Queue[tuple[int, Outcome] | None] = asyncio.Queue()
        deadline = self._deadline(timeout_s)
        exchanges = [
            self._exchange(route, parcels, deadline, partial(_place, ready, start))
            for start, parcels in self._parts(submissions)
        ]
        running = asyncio.gather(*(exchange.run() for exchange in exchanges))
        running.add_done_callback(lambda _: ready.put_nowait(None))
        try:
            while item := await ready.get():
                yield item
            await running  # raises what must not be lost
        finally:
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running

    def _parts(self, submissions: Sequence[Submission]) -> Iterator[tuple[int, list[Parcel]]]:
        """The submissions in parts that one request may hold, each with the place of its first."""
        part: list[Parcel] = []
        size = 0
        for index, submission in enumerate(submissions):
            parcel = Parcel.of(submission)
            full = len(part) == self._limits.request_items
            if part and (full or size + len(parcel.body) > self._limits.request_mb * BYTES_PER_MB):
                yield index - len(part), part
                part, size = [], 0
            part.append(parcel)
            size += len(parcel.body)
        if part:
            yield len(submissions) - len(part), part

    async def _get(self, path: str, model: type[Model]) -> Model:
        return await self._ask("GET", path, model)

    async def _ask(self, method: str, path: str, model: type[Model]) -> Model:
        deadline = self._deadline(None)
        try:
            async with asyncio.timeout_at(deadline), self._opened().send(Request(method, path)) as answer:
                if answer.status != 200:
                    raise await refusal(answer)
                document = read_json(await read_all(answer))
        except TimeoutError:
            raise JudgeTimeout(f"no answer to {path} within the client's timeout") from None
        try:
            return model.model_validate(document)
        except ValidationError as error:
            raise BadAnswer(f"{path} is not answered as a judge does: {error}") from None


def _place(
    ready: "asyncio.Queue[tuple[int, Outcome] | None]", start: int, place: int, outcome: Outcome
) -> None:
    ready.put_nowait((start + place, outcome))
