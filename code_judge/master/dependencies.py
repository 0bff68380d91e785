"""What routes ask FastAPI for."""

from typing import Annotated

from fastapi import Depends, Request

from .master import Master


# Asynchronous although it waits for nothing: FastAPI calls what is not in a thread, which costs more than
# the rest of a small request.
async def _master_of(request: Request) -> Master:
    master: Master = request.app.state.master
    return master


TheMaster = Annotated[Master, Depends(_master_of)]
"""The master that serves the request."""
