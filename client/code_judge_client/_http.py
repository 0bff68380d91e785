"""The transport over real connections. Importing it imports aiohttp, which takes a quarter of a second:
hence nothing does so before a client is opened."""

import socket
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from urllib.parse import urlsplit

import aiohttp

from ._config import Limits, Timeout
from ._errors import ClientClosed, ConnectionFailed
from ._transport import Answer, Request

KEEPALIVE = {"TCP_KEEPIDLE": 15, "TCP_KEEPINTVL": 15, "TCP_KEEPCNT": 4}
"""Seconds until probing, seconds between probes, probes: a judge whose machine vanished without a word is
noticed after 75 s, though its answer may rightly take an hour."""


class HttpTransport:
    """Sends requests to one judge over pooled connections. Belongs to the event loop it first sends in."""

    def __init__(self, url: str, *, api_key: str | None, timeout: Timeout, limits: Limits) -> None:
        """Raises ValueError where ``url`` is none of http or https."""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"the judge's url must look like http://HOST:PORT, not {url!r}")
        self._url = url.rstrip("/")
        self._headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._timeout = aiohttp.ClientTimeout(total=None, sock_connect=timeout.connect_s)
        self._limits = limits
        self._session: aiohttp.ClientSession | None = None
        self._closed = False

    @asynccontextmanager
    async def send(self, request: Request) -> AsyncIterator[Answer]:
        with self._failures_mapped():
            response = await self._opened().request(
                request.method, self._url + request.path, data=request.body, headers=request.headers
            )
        async with response:
            yield _HttpAnswer(response, self._failures_mapped)

    async def close(self) -> None:
        self._closed = True
        if self._session:
            await self._session.close()

    def _opened(self) -> aiohttp.ClientSession:
        if self._closed:
            raise ClientClosed("the client was closed before the answer came")
        if self._session is None:  # here and not in __init__, since it takes a running loop
            connector = aiohttp.TCPConnector(
                limit=self._limits.connections,
                keepalive_timeout=self._limits.keep_alive_s,
                socket_factory=_watched_socket,
            )
            self._session = aiohttp.ClientSession(
                connector=connector, timeout=self._timeout, headers=self._headers
            )
        return self._session

    @contextmanager
    def _failures_mapped(self) -> Iterator[None]:
        try:
            yield
        except (aiohttp.ClientError, OSError) as error:
            raise ConnectionFailed(f"no answer from the judge at {self._url}: {_told(error)}") from error


class _HttpAnswer:
    def __init__(
        self, response: aiohttp.ClientResponse, failures_mapped: Callable[[], AbstractContextManager[None]]
    ) -> None:
        self._response = response
        self._failures_mapped = failures_mapped

    @property
    def status(self) -> int:
        return self._response.status

    @property
    def headers(self) -> Mapping[str, str]:
        return self._response.headers

    async def chunks(self) -> AsyncIterator[bytes]:
        content = self._response.content
        while True:
            with self._failures_mapped():
                chunk = await content.readany()
            if not chunk:  # only at the end
                return
            yield chunk


def _watched_socket(address: aiohttp.connector.AddrInfoType) -> socket.socket:
    family, kind, protocol, _, _ = address
    made = socket.socket(family, kind, protocol)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in KEEPALIVE.items():
        if hasattr(socket, name):  # not all of them on every system
            made.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
    return made


def _told(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "the connect timeout passed"
    return str(error) or type(error).__name__
