"""One call's way to its results: sent, sent again where it must be, one outcome for each submission."""

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pydantic_core import PydanticSerializationError

from code_judge.contract import Result, Submission, Verdict

from ._answers import NDJSON, read_batch, read_json, read_result, refusal
from ._config import RetryPolicy
from ._errors import (
    AccessDenied,
    BadAnswer,
    JudgeBusy,
    JudgeClientError,
    JudgeTimeout,
    JudgeUnavailable,
    RequestRefused,
)
from ._transport import Answer, Request, Transport, read_all

Outcome = Result | JudgeClientError
Deliver = Callable[[int, Outcome], None]
"""Told each submission's place in the call and what became of it."""

QUEUE_TIMED_OUT = JudgeUnavailable("the submissions waited too long for a worker")


@dataclass(frozen=True, slots=True)
class Route:
    """Where a call goes."""

    path: str
    batch: bool

    @classmethod
    def single(cls, *, judge: bool) -> "Route":
        return cls("/judge" if judge else "/run", batch=False)

    @classmethod
    def for_batch(cls, *, judge: bool, long: bool) -> "Route":
        return cls(f"/{'judge' if judge else 'run'}/{'long-batch' if long else 'batch'}", batch=True)

    def request(self, parcels: Sequence["Parcel"], time_left_s: float | None) -> Request:
        headers = {"Content-Type": "application/json"}
        if time_left_s is not None:
            headers["X-Judge-Deadline-S"] = f"{time_left_s:.3f}"
        if not self.batch:
            return Request("POST", f"{self.path}?detail=full", parcels[0].body, headers)
        headers["Accept"] = f"{NDJSON}, application/json;q=0.5"
        body = b'{"type":"batch","submissions":[' + b",".join(parcel.body for parcel in parcels) + b"]}"
        return Request("POST", f"{self.path}?detail=full", body, headers)


@dataclass(frozen=True, slots=True)
class Parcel:
    """A submission, and how it is sent."""

    submission: Submission
    body: bytes

    @classmethod
    def of(cls, submission: Submission) -> "Parcel":
        # Without the fields that say nothing, since older judges know only some.
        try:
            return cls(submission, submission.model_dump_json(exclude_defaults=True).encode())
        except PydanticSerializationError:
            # A lone surrogate, of which models are fond: escaped it can be sent, and the judge refuses this
            # submission alone.
            return cls(submission, json.dumps(submission.model_dump(exclude_defaults=True)).encode())


class Exchange:
    """Sends a call's submissions until each has its outcome. Cancelling :meth:`run` closes the connection,
    so that the judge drops the work."""

    def __init__(
        self,
        transport: Transport,
        route: Route,
        parcels: Sequence[Parcel],
        *,
        retry: RetryPolicy,
        deadline: float | None,
        deliver: Deliver,
        wanted: Callable[[int], bool] = lambda _: True,
    ) -> None:
        """``deadline`` is by the event loop's clock. What is no longer ``wanted`` is not sent again."""
        self._transport = transport
        self._route = route
        self._retry = retry
        self._deadline = deadline
        self._deliver = deliver
        self._wanted = wanted
        self._parcels = parcels
        self._late: dict[int, Result] = {}
        self.waiting = set(range(len(parcels)))
        """Places without an outcome."""

    async def run(self) -> None:
        """Deliver exactly one outcome for each submission that stays wanted."""
        try:
            async with asyncio.timeout_at(self._deadline):
                await self._until_answered()
        except TimeoutError:
            self._give_up(
                sorted(self.waiting), JudgeTimeout("the call's timeout passed before its answer came")
            )

    async def _until_answered(self) -> None:
        failures = 0
        while indices := self._still_wanted():
            try:
                await self._attempt(indices)
                trouble = QUEUE_TIMED_OUT  # of those that are still waiting, if any
            except JudgeUnavailable as error:
                trouble = error
            progress = len(self._still_wanted()) < len(indices)
            paused = isinstance(trouble, JudgeBusy) and trouble.paused
            failures = 1 if progress or not failures else failures + (not paused)
            if failures >= self._retry.attempts:
                self._give_up(sorted(self.waiting), trouble)
            elif self.waiting:
                await self._pause(trouble, failures)

    def _still_wanted(self) -> list[int]:
        self.waiting = {index for index in self.waiting if self._wanted(index)}
        return sorted(self.waiting)

    async def _pause(self, trouble: JudgeUnavailable, failures: int) -> None:
        """Wait for the next attempt; where the deadline would come first, what is known now is the answer."""
        asked = trouble.retry_after_s if isinstance(trouble, JudgeBusy) else None
        pause_s = self._retry.pause_s(failures, asked)
        left_s = self._time_left_s()
        if left_s is not None and left_s <= pause_s:
            self._give_up(sorted(self.waiting), trouble)
        else:
            await asyncio.sleep(pause_s)

    async def _attempt(self, indices: list[int]) -> None:
        """Send these once and deliver what comes back. Raises JudgeUnavailable."""
        request = self._route.request([self._parcels[index] for index in indices], self._time_left_s())
        try:
            async with self._transport.send(request) as answer:
                if answer.status != 200:
                    raise await refusal(answer)
                await self._read(answer, indices)
        except JudgeUnavailable:
            raise
        except RequestRefused as error:
            await self._refused(indices, error)
        except JudgeClientError as error:
            self._give_up(indices, error)

    async def _read(self, answer: Answer, indices: list[int]) -> None:
        """Raises JudgeUnavailable, BadAnswer."""
        if not self._route.batch:
            self._take(indices[0], read_json(await read_all(answer)))
            return
        missing = set(range(len(indices)))
        async for place, fields in read_batch(answer):
            if place not in missing:
                raise BadAnswer(f"the judge answered submission {place!r} of {len(indices)} out of turn")
            missing.remove(place)
            self._take(indices[place], fields)
        if missing:
            raise BadAnswer(f"the judge left {len(missing)} of {len(indices)} submissions unanswered")

    def _take(self, index: int, fields: object) -> None:
        try:
            result = read_result(fields, self._parcels[index].submission)
        except BadAnswer as error:
            self._settle(index, error)
            return
        if result.verdict is Verdict.QUEUE_TIMEOUT:
            self._late[index] = result  # to be sent again
        else:
            self._settle(index, result)

    async def _refused(self, indices: list[int], error: RequestRefused) -> None:
        """Find the one submission for which a batch was refused, so that the others are judged."""
        if len(indices) == 1 or isinstance(error, AccessDenied):
            self._give_up(indices, error)
            return
        middle = len(indices) // 2
        await self._attempt(indices[:middle])
        await self._attempt(indices[middle:])

    def _give_up(self, indices: list[int], error: JudgeClientError) -> None:
        for index in indices:
            if index in self.waiting:
                self._settle(index, self._late.get(index) or error.fresh())

    def _settle(self, index: int, outcome: Outcome) -> None:
        self.waiting.discard(index)
        self._deliver(index, outcome)

    def _time_left_s(self) -> float | None:
        if self._deadline is None:
            return None
        return max(self._deadline - asyncio.get_running_loop().time(), 0.001)
