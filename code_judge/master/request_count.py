"""Counts what is asked of this master process, and how it is answered."""

import time
from collections.abc import Iterable

from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from code_judge.metrics import Tally, families

OTHER = "other"
"""The route of requests for paths that there are not: those are the caller's to choose."""
NO_ANSWER = "499"
"""The status of a request whose caller left before any answer had begun, as proxies write it."""


class RequestCount:
    """Middleware: one count and one duration per request."""

    def __init__(self, app: ASGIApp, tally: Tally, routes: Iterable[BaseRoute]) -> None:
        self._app = app
        self._tally = tally
        self._paths = frozenset(getattr(route, "path", OTHER) for route in routes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status = NO_ANSWER

        async def note_status(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = str(message["status"])
            await send(message)

        started = time.perf_counter()
        try:
            await self._app(scope, receive, note_status)
        finally:
            route = self._route(scope)
            self._tally.add(families.REQUESTS, route, status)
            self._tally.observe(families.REQUEST_SECONDS, time.perf_counter() - started, route)

    def _route(self, scope: Scope) -> str:
        """The route as it is written in the code, with its parameters unfilled."""
        # There is none yet where it was refused early.
        path = getattr(scope.get("route"), "path", None) or str(scope["path"])
        return path if path in self._paths else OTHER
