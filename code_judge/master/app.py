"""Builds the HTTP application of one master process."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError

from code_judge import __version__
from code_judge.errors import JudgeError
from code_judge.queue import MasterQueue
from code_judge.settings import Settings

from . import admin_routes, cluster_routes, submission_routes
from .access import AccessMiddleware
from .http_errors import answer_error, answer_unfit_parameters
from .master import Master
from .signals import on_stop_signal

QueueFactory = Callable[[Settings], MasterQueue]


def create_app(settings: Settings, queue_factory: QueueFactory) -> FastAPI:
    """The master's application. Nothing is connected before its lifespan starts."""
    master = Master(settings, queue_factory(settings))

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        master.start()
        # The server itself would wait for its connections before it ends the lifespan, and without limit
        # (unless it was started with --timeout-graceful-shutdown): so the drain starts with the signal.
        with on_stop_signal(master.drain):
            yield
        await master.stop()

    app = FastAPI(title="code-judge", version=__version__, lifespan=lifespan, openapi_url=None)
    app.state.master = master
    app.add_exception_handler(JudgeError, answer_error)
    app.add_exception_handler(RequestValidationError, answer_unfit_parameters)
    if settings.api_key:
        app.add_middleware(AccessMiddleware, api_key=settings.api_key.get_secret_value())
    for routes in (submission_routes, cluster_routes, admin_routes):
        app.include_router(routes.router)
    return app
