"""A server that speaks the plain HTTP interface, ours or a peer's, seen from the outside."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import aiohttp

Submission = Mapping[str, Any]
Answer = Mapping[str, Any]

CALL_TIMEOUT_S = 600.0
"""Longest wait for one answer; a server that is lost does not hang the benchmark."""


@dataclass(frozen=True, slots=True)
class Throughput:
    """What came of one stretch of batches."""

    answers: Sequence[Answer]
    seconds: float

    @property
    def right(self) -> int:
        return sum(bool(answer["success"]) for answer in self.answers)

    @property
    def runs_per_s(self) -> float:
        """Right answers only: a server is not fast for refusing."""
        return self.right / self.seconds


@dataclass(frozen=True, slots=True)
class Call:
    """One ``/run``."""

    answer: Answer
    seconds: float

    @property
    def overhead_s(self) -> float:
        """Seconds beside those of the program's own run, as the server tells them."""
        return self.seconds - float(self.answer.get("cost") or 0)


class Server:
    """Plain requests without retries: what a failed one would have brought counts as not right."""

    def __init__(self, url: str, api_key: str | None = None) -> None:
        self.url = url.rstrip("/")
        self._headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession(
            headers=self._headers,
            timeout=aiohttp.ClientTimeout(total=CALL_TIMEOUT_S),
            connector=aiohttp.TCPConnector(limit=0),
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._session.close()

    async def run(self, submission: Submission) -> Call:
        """One ``/run``."""
        started = time.perf_counter()
        document = await self._post("/run", submission)
        return Call(document or _no_answer(), time.perf_counter() - started)

    async def run_batch(self, submissions: Sequence[Submission]) -> list[Answer]:
        """One ``/run/long-batch``, which no server gives up for having waited."""
        document = await self._post("/run/long-batch", {"type": "batch", "submissions": submissions})
        return document["results"] if document else [_no_answer() for _ in submissions]

    async def run_batches(
        self, submissions: Sequence[Submission], batch: int, callers: int, seconds: float
    ) -> Throughput:
        """All submissions in batches, by ``callers`` side by side; no new batch after ``seconds``."""
        batches = iter([submissions[at : at + batch] for at in range(0, len(submissions), batch)])
        answers: list[Answer] = []
        started = time.perf_counter()

        async def call() -> None:
            # Together the callers take each batch once: they share one iterator.
            for part in batches:
                answers.extend(await self.run_batch(part))
                if time.perf_counter() - started > seconds:
                    return

        await asyncio.gather(*(call() for _ in range(callers)))
        return Throughput(answers, time.perf_counter() - started)

    async def _post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any] | None:
        """The answer's document, or None where there is none. ``detail`` is for those who know it."""
        try:
            async with self._session.post(self.url + path, params={"detail": "full"}, json=body) as response:
                return await response.json() if response.status == 200 else None
        except (aiohttp.ClientError, TimeoutError):
            return None


def _no_answer() -> Answer:
    return {"success": False, "reason": "no_answer"}


def outcome_of(answer: Answer) -> str:
    """The verdict, or as much of it as the plain fields tell."""
    plain = answer.get("reason") or ("accepted" if answer["success"] else "failed")
    return str(answer.get("verdict") or plain)
