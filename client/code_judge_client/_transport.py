"""What lies between the client and the network: replaceable, so that tests need none."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Protocol

from ._config import Limits, Timeout


@dataclass(frozen=True, slots=True)
class Request:
    """One HTTP request."""

    method: str
    path: str
    """With its query, without the judge's URL."""
    body: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


class Answer(Protocol):
    """An HTTP answer whose head has come; its body may still be on the way."""

    @property
    def status(self) -> int: ...

    @property
    def headers(self) -> Mapping[str, str]:
        """Looked up without regard to case."""
        ...

    def chunks(self) -> AsyncIterator[bytes]:
        """The body as it comes, in pieces of any size. Raises ConnectionFailed."""
        ...


class Transport(Protocol):
    """Sends requests to one judge."""

    def send(self, request: Request) -> AbstractAsyncContextManager[Answer]:
        """Send, and give the answer's head. Leaving the context early closes the connection, by which the
        judge learns that nobody waits any more. Raises ConnectionFailed."""
        ...

    async def close(self) -> None:
        """Close all connections. Idempotent."""
        ...


def http_transport(url: str, api_key: str | None, timeout: Timeout, limits: Limits) -> Transport:
    """The transport over real connections. Raises ValueError where ``url`` is none of http or https."""
    from ._http import HttpTransport  # here, since it imports aiohttp: see there

    return HttpTransport(url, api_key=api_key, timeout=timeout, limits=limits)


async def read_all(answer: Answer) -> bytes:
    """The whole body. Raises ConnectionFailed."""
    return b"".join([chunk async for chunk in answer.chunks()])


async def read_lines(answer: Answer) -> AsyncIterator[bytes]:
    """The body's lines as they come, of any length; a last line that was cut off is left out.

    Raises ConnectionFailed.
    """
    parts: list[bytes] = []
    async for chunk in answer.chunks():
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            yield b"".join((*parts, end))
            parts.clear()
        parts.append(rest)
