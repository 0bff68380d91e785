"""The one place where errors of ours become HTTP answers."""

from fastapi.exceptions import RequestValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from code_judge.errors import (
    Draining,
    HungUp,
    InvalidRequest,
    JudgeError,
    Overloaded,
    Paused,
    QueueFull,
    QueueUnavailable,
    RequestError,
    RetryLater,
    SettingsError,
    TooLarge,
    Unauthorized,
    UnknownNode,
)

STATUS: dict[type[JudgeError], int] = {
    JudgeError: 500,
    SettingsError: 500,
    RequestError: 400,
    InvalidRequest: 422,
    TooLarge: 413,
    Unauthorized: 401,
    UnknownNode: 404,
    HungUp: 499,  # nobody reads it but the access log, where proxies use this number, too
    RetryLater: 503,
    QueueFull: 503,
    Overloaded: 503,
    QueueUnavailable: 503,
    Draining: 503,
    Paused: 429,
}
"""Every class of the tree; a test holds this to be complete."""

HEADERS: dict[type[JudgeError], dict[str, str]] = {
    Paused: {"X-Judge-Paused": "true"},
    Unauthorized: {"WWW-Authenticate": "Bearer"},
}
"""Beside ``Retry-After``, which every RetryLater carries."""


def status_of(error: JudgeError) -> int:
    """The HTTP status that says this error."""
    return STATUS[type(error)]


async def answer_error(_request: Request, error: Exception) -> Response:
    """The exception handler for all errors of ours: ``{"detail": what happened}``."""
    assert isinstance(error, JudgeError)
    headers = dict(HEADERS.get(type(error), {}))
    if isinstance(error, RetryLater):
        headers["Retry-After"] = str(max(1, round(error.retry_after_s)))
    return JSONResponse({"detail": str(error)}, status_of(error), headers)


async def answer_unfit_parameters(_request: Request, error: Exception) -> Response:
    """The exception handler for a query or a header that does not parse, in the shape of all others."""
    assert isinstance(error, RequestValidationError)
    detail = "; ".join(f"{problem['loc'][-1]}: {problem['msg']}" for problem in error.errors())
    return JSONResponse({"detail": detail}, STATUS[InvalidRequest])
