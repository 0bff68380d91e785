"""Reads a request's body, but never keeps more of it than the limit allows."""

import asyncio

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request

from code_judge.errors import HungUp, TooLarge

BYTES_PER_MB = 1_000_000
LINGER_S = 30.0
"""Seconds for which the rest of a body over the limit is read and thrown away. A client that is still
sending when the connection closes sees a broken pipe and not the 413."""


async def read_body(request: Request, max_mb: float) -> bytes:
    """The whole body. Raises TooLarge, or HungUp where the client left in the middle of it."""
    limit = int(max_mb * BYTES_PER_MB)
    body = bytearray()
    try:
        if announced_size(request.headers) <= limit:
            async for chunk in request.stream():
                body += chunk
                if len(body) > limit:
                    break
            else:
                return bytes(body)
        body.clear()
        await throw_away_rest(request)
    except ClientDisconnect:
        raise HungUp("the client left before its request was complete") from None
    raise TooLarge(f"the body is over this judge's MAX_BODY_MB of {max_mb:g}; send smaller batches")


def announced_size(headers: Headers) -> int:
    """Bytes that the body will have by its ``Content-Length``; 0 where it has none."""
    text = headers.get("content-length", "")
    return int(text) if text.isascii() and text.isdecimal() else 0


async def throw_away_rest(request: Request) -> None:
    """Let the client finish sending, so that it reads the refusal that follows."""
    if request.headers.get("expect", "").lower() == "100-continue":
        return  # it waits for our word before it sends anything
    try:
        async with asyncio.timeout(LINGER_S):
            async for _ in request.stream():
                pass
    except TimeoutError:
        pass
