"""A server that speaks the judge's contract but runs nothing, and fails as it is told to."""

import asyncio
import json
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from code_judge.contract import Result, Verdict, judged, plain

NDJSON = "application/x-ndjson"

Behaviour = Callable[[dict[str, Any]], Awaitable[Result]]
"""What becomes of a submission, given as its JSON fields."""


async def echo(submission: dict[str, Any]) -> Result:
    """Every program prints its input."""
    return printed(submission, submission.get("input") or "")


def printed(submission: dict[str, Any], stdout: str, **fields: Any) -> Result:
    """The result of a program that ended well and printed this."""
    expected = submission.get("expected_output")
    if expected is None:
        verdict = Verdict.RAN
    else:
        verdict = Verdict.ACCEPTED if stdout.strip() == expected.strip() else Verdict.WRONG_ANSWER
    return ended(submission, verdict, stdout=stdout, **fields)


def ended(submission: dict[str, Any], verdict: Verdict, **fields: Any) -> Result:
    """A result with this verdict."""
    return Result.of(submission.get("sub_id") or "made-up", verdict, **{"cost": 0.01, **fields})


@dataclass(frozen=True)
class Fault:
    """What goes wrong with one request."""

    status: int | None = None
    """Answer this status and nothing else, with ``headers``."""
    headers: Mapping[str, str] = field(default_factory=dict)
    after: int = 0
    """Results that are still given before what follows."""
    vanish: bool = False
    """Cut the connection."""
    stop: bool = False
    """Say in the closing line that the judge had to stop."""
    forget: frozenset[int] = frozenset()
    """Leave these places out, as if that were all."""
    body: bytes | None = None
    """Answer 200 with these bytes."""


@dataclass
class SeenRequest:
    """What came in."""

    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    submissions: list[dict[str, Any]]
    peer: object = None
    """The other end of its connection."""
    hung_up: bool = False
    """The caller left before it had its answer."""


class FakeJudge:
    """Serves on a free port of the loopback interface.

    Requests meet the queued ``faults`` first, one each. ``legacy`` makes it an older judge: plain results
    and no streams, whatever is asked for.
    """

    def __init__(self, behave: Behaviour = echo, *, legacy: bool = False, api_key: str | None = None) -> None:
        self.behave = behave
        self.legacy = legacy
        self.api_key = api_key
        self.faults: deque[Fault] = deque()
        self.requests: list[SeenRequest] = []
        self.running = 0
        """Submissions in hand."""
        self._port = 0
        self._runner: web.AppRunner | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def port(self) -> int:
        return self._port

    # Lifecycle

    async def start(self) -> Self:
        """Serve; after :meth:`stop`, on the same port again."""
        app = web.Application(client_max_size=1 << 30)
        for base in ("run", "judge"):
            app.router.add_post(f"/{base}", self._single)
            app.router.add_post(f"/{base}/batch", self._batch)
            app.router.add_post(f"/{base}/long-batch", self._batch)
        app.router.add_get("/status", self._status)
        app.router.add_get("/cluster", self._cluster)
        self._runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.01)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port, reuse_address=True, backlog=1024)
        await site.start()
        self._port = self._runner.addresses[0][1]
        return self

    async def stop(self) -> None:
        """Cut all connections and free the port."""
        if self._runner:
            await self._runner.cleanup()

    async def __aenter__(self) -> Self:
        return await self.start()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    async def until(self, holds: Callable[[], bool], within_s: float = 20.0) -> None:
        """Wait until something holds of this judge. Raises TimeoutError."""
        async with asyncio.timeout(within_s):
            while not holds():  # noqa: ASYNC110 - what is waited for may be anything
                await asyncio.sleep(0.005)

    async def until_running(self, count: int) -> None:
        """Wait until so many submissions are in hand. Raises TimeoutError."""
        await self.until(lambda: self.running == count)

    # Routes

    async def _single(self, request: web.Request) -> web.StreamResponse:
        submission = await request.json()
        with self._arrived(request, [submission]) as fault:
            if refusal := self._refusal(request, fault):
                return refusal
            if fault.vanish:
                return _cut(request)
            result = await self._judged(submission)
            return web.json_response(self._fields(request, result))

    async def _batch(self, request: web.Request) -> web.StreamResponse:
        submissions = (await request.json())["submissions"]
        with self._arrived(request, submissions) as fault:
            if refusal := self._refusal(request, fault):
                return refusal
            ready: asyncio.Queue[tuple[int, Result]] = asyncio.Queue()
            running = [
                asyncio.create_task(self._judge_into(ready, index, submission))
                for index, submission in enumerate(submissions)
                if index not in fault.forget
            ]
            try:
                if NDJSON in request.headers.get("Accept", "") and not self.legacy:
                    return await self._streamed(request, ready, len(running), fault)
                return await self._at_once(request, ready, len(running), fault)
            finally:
                for task in running:
                    task.cancel()

    async def _at_once(
        self, request: web.Request, ready: asyncio.Queue[tuple[int, Result]], size: int, fault: Fault
    ) -> web.StreamResponse:
        results = dict([await ready.get() for _ in range(size)])
        if fault.vanish:
            return _cut(request)
        fields = [self._fields(request, result) for _, result in sorted(results.items())]
        return web.json_response({"sub_id": "batch", "results": fields})

    async def _streamed(
        self, request: web.Request, ready: asyncio.Queue[tuple[int, Result]], size: int, fault: Fault
    ) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": NDJSON})
        await response.prepare(request)
        count = fault.after if fault.vanish or fault.stop else size
        for _ in range(count):
            index, result = await ready.get()
            line = {"index": index, **self._fields(request, result)}
            await response.write(json.dumps(line).encode() + b"\n")
        if fault.vanish:
            return _cut(request)
        closing: dict[str, Any] = {"done": not fault.stop, "sub_id": "batch", "count": count}
        if fault.stop:
            closing |= {"status": 503, "detail": "this master had to stop"}
        await response.write(json.dumps(closing).encode() + b"\n")
        return response

    async def _status(self, _request: web.Request) -> web.Response:
        return web.json_response({"queue": 3, "num_workers": 8})

    async def _cluster(self, _request: web.Request) -> web.Response:
        node = {"name": "n1", "host": "h", "pid": 1, "version": "0", "started_at": 0.0, "slots": 8}
        fields = {"nodes": [node], "slots": 8, "busy": 0, "languages": ["cpp", "python"]}
        queued = {"interactive": 0, "batch": 0, "long_batch": 3}
        return web.json_response({**fields, "queued": queued, "in_flight": 0})

    # How

    @contextmanager
    def _arrived(self, request: web.Request, submissions: list[dict[str, Any]]) -> Iterator[Fault]:
        assert request.transport
        peer = request.transport.get_extra_info("peername")
        seen = SeenRequest(request.path, request.query, request.headers, submissions, peer)
        self.requests.append(seen)
        try:
            yield self.faults.popleft() if self.faults else Fault()
        except (asyncio.CancelledError, ConnectionResetError):
            seen.hung_up = True
            raise

    def _refusal(self, request: web.Request, fault: Fault) -> web.Response | None:
        if self.api_key and request.headers.get("Authorization") != f"Bearer {self.api_key}":
            return web.json_response({"detail": "send this judge's API key"}, status=401)
        if fault.body is not None:
            return web.Response(body=fault.body)
        if fault.status:
            return web.json_response({"detail": "as told"}, status=fault.status, headers=fault.headers)
        return None

    async def _judge_into(
        self, ready: asyncio.Queue[tuple[int, Result]], index: int, submission: dict[str, Any]
    ) -> None:
        ready.put_nowait((index, await self._judged(submission)))

    async def _judged(self, submission: dict[str, Any]) -> Result:
        self.running += 1
        try:
            return await self.behave(submission)
        finally:
            self.running -= 1

    def _fields(self, request: web.Request, result: Result) -> dict[str, Any]:
        full = result.model_dump(mode="json")
        if request.path.startswith("/judge"):
            for name in () if self._asks_plain(request) else ("stdout", "stderr"):
                del full[name]
            return judged(full) if self._asks_plain(request) else full
        return plain(full) if self._asks_plain(request) else full

    def _asks_plain(self, request: web.Request) -> bool:
        return self.legacy or request.query.get("detail") != "full"


def _cut(request: web.Request) -> web.Response:
    assert request.transport
    request.transport.abort()
    return web.Response()
