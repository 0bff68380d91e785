"""Lets in only those who have the API key, where one is set."""

import secrets

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from code_judge.errors import Unauthorized

from .http_errors import answer_error

OPEN_PATHS = frozenset({"/", "/ping", "/healthz"})
"""What load balancers and orchestrators must be able to ask without a key, and the page, which asks for it
itself."""
OPEN_FOLDER = "/page/"
"""What the page is made of."""


class AccessMiddleware:
    """Answers 401 to everybody else, before a byte of the body is read."""

    def __init__(self, app: ASGIApp, api_key: str) -> None:
        self._app = app
        self._api_key = api_key.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan" and not _is_open(scope["path"]) and not self._knows_key(scope):
            error = Unauthorized(
                "send this judge's API key as 'Authorization: Bearer KEY' or 'x-api-key: KEY'"
            )
            response = await answer_error(Request(scope), error)
            await response(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _knows_key(self, scope: Scope) -> bool:
        headers = Headers(scope=scope)
        scheme, _, bearer = headers.get("authorization", "").partition(" ")
        given = bearer if scheme.lower() == "bearer" else headers.get("x-api-key", "")
        # Takes as long for a nearly right key as for a wrong one, so that none can be felt out.
        return secrets.compare_digest(given.strip().encode("latin-1"), self._api_key)


def _is_open(path: str) -> bool:
    return path in OPEN_PATHS or path.startswith(OPEN_FOLDER)
