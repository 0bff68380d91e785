"""The client's end of a WebSocket: whether anybody is still there.

OpenEnv reads a socket only between two steps. So a client that leaves in the middle of a step would keep its
session, and its program a worker, until the step is over; and a session that was closed for its silence would
keep its socket. This middleware listens all the time, and can hang up.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from starlette.types import ASGIApp, Message, Receive, Scope, Send

FRAMES_AHEAD = 16
"""Frames that are read before the session asks for them; the rest waits in the network."""
GONE: Message = {"type": "websocket.disconnect", "code": 1001}

_current: ContextVar["Connection | None"] = ContextVar("connection", default=None)


class Connection:
    """One WebSocket, from the server's side. Lives in its event loop."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._loop = asyncio.get_running_loop()
        self._frames: asyncio.Queue[Message] = asyncio.Queue()
        self._room = asyncio.Semaphore(FRAMES_AHEAD)
        self._on_leave: set[Callable[[], object]] = set()

    @staticmethod
    def current() -> "Connection | None":
        """The one whose message is being handled; None for plain HTTP."""
        return _current.get()

    async def listen(self) -> None:
        """Take frames in until the client leaves."""
        message: Message = {}
        while message.get("type") != GONE["type"]:
            await self._room.acquire()
            message = await self._receive()
            self._frames.put_nowait(message)
        for callback in list(self._on_leave):
            callback()

    async def receive(self) -> Message:
        """The next frame, for the session."""
        message = await self._frames.get()
        self._room.release()
        return message

    @contextmanager
    def on_leave(self, callback: Callable[[], object]) -> Iterator[None]:
        """Within this, ``callback`` is called when the client leaves."""
        self._on_leave.add(callback)
        try:
            yield
        finally:
            self._on_leave.discard(callback)

    def hang_up(self) -> None:
        """Have the session believe that its client left, so that it closes the socket. From any thread."""
        self._loop.call_soon_threadsafe(self._frames.put_nowait, GONE)


class ListeningMiddleware:
    """Puts a :class:`Connection` between each WebSocket and the application."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            await self._app(scope, receive, send)
            return
        connection = Connection(receive)
        token = _current.set(connection)
        listening = asyncio.create_task(connection.listen())
        try:
            await self._app(scope, connection.receive, send)
        finally:
            listening.cancel()
            _current.reset(token)
