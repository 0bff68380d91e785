"""What routes ask FastAPI for."""

from typing import Annotated

from fastapi import Depends, Request

from .master import Master


def _master_of(request: Request) -> Master:
    master: Master = request.app.state.master
    return master


TheMaster = Annotated[Master, Depends(_master_of)]
"""The master that serves the request."""
