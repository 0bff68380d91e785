"""The environment's protocol as it is on the wire, without any of OpenEnv's clients."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from websockets.asyncio.client import ClientConnection, connect


class Wire:
    """One socket. Everything that came over it is in ``heard``."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.heard: list[str] = []

    async def ask_raw(self, frame: str | bytes) -> dict[str, Any]:
        """Send a frame as it is; the answer."""
        await self.socket.send(frame)
        return await self.hear()

    async def hear(self) -> dict[str, Any]:
        """The next answer."""
        frame = await self.socket.recv()
        assert isinstance(frame, str)
        self.heard.append(frame)
        answer: dict[str, Any] = json.loads(frame)
        return answer

    async def ask(self, kind: str, **fields: Any) -> dict[str, Any]:
        return await self.ask_raw(json.dumps({"type": kind, **fields}))

    async def reset(self, **data: Any) -> dict[str, Any]:
        """The observation's message."""
        answer = await self.ask("reset", data=data)
        assert answer["type"] == "observation", answer
        return dict(answer["data"])

    async def step(self, code: str, **data: Any) -> dict[str, Any]:
        """Likewise."""
        answer = await self.ask("step", data={"code": code, **data})
        assert answer["type"] == "observation", answer
        return dict(answer["data"])

    async def state(self) -> dict[str, Any]:
        answer = await self.ask("state")
        assert answer["type"] == "state", answer
        return dict(answer["data"])

    async def rpc(self, method: str, **params: Any) -> dict[str, Any]:
        """The JSON-RPC answer to an ``mcp`` message."""
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        answer = await self.ask("mcp", data=request)
        assert answer["type"] == "mcp", answer
        return dict(answer["data"])

    async def refused(self, kind: str, **fields: Any) -> dict[str, Any]:
        """The error's data."""
        answer = await self.ask(kind, **fields)
        assert answer["type"] == "error", answer
        return dict(answer["data"])


@asynccontextmanager
async def wire(url: str, path: str = "/ws") -> AsyncIterator[Wire]:
    """A socket to the server at this URL."""
    async with connect(url.replace("http", "ws") + path, max_size=None, proxy=None) as socket:
        yield Wire(socket)
