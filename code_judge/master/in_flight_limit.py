"""Bounds the memory of a master process by what it has accepted."""

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Receive, Scope, Send

from code_judge.errors import Overloaded

from .body import BYTES_PER_MB, announced_size, throw_away_rest
from .http_errors import answer_error


class InFlightLimit:
    """Middleware: holds each request's size until it is answered, and refuses what would be too much."""

    def __init__(self, app: ASGIApp, max_mb: float, largest_mb: float) -> None:
        self._app = app
        self._limit = max_mb * BYTES_PER_MB
        self._largest = int(largest_mb * BYTES_PER_MB)
        self._held = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        size = self._size(scope)
        if self._held and self._held + size > self._limit:  # one alone always passes
            await self._refuse(scope, receive, send)
            return
        self._held += size
        try:
            await self._app(scope, receive, send)
        finally:
            self._held -= size

    def _size(self, scope: Scope) -> int:
        if scope["type"] != "http":
            return 0
        headers = Headers(scope=scope)
        # A body of unannounced length may become as large as bodies may be.
        return self._largest if "transfer-encoding" in headers else announced_size(headers)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await throw_away_rest(Request(scope, receive))
        except ClientDisconnect:
            return
        error = Overloaded(
            "this master process holds MAX_IN_FLIGHT_MB of unanswered requests; try again later"
        )
        response = await answer_error(Request(scope), error)
        await response(scope, receive, send)
