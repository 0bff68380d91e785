"""Builds the HTTP application of one master process."""

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError

from code_judge import __version__
from code_judge.errors import JudgeError
from code_judge.queue import MasterQueue
from code_judge.settings import Settings
from code_judge.tracing import open_tracing

from . import admin_routes, cluster_routes, metrics_routes, page_routes, submission_routes
from .access import AccessMiddleware
from .http_errors import answer_error, answer_unfit_parameters
from .in_flight_limit import InFlightLimit
from .master import Master
from .node_process import node_beside_master
from .request_count import RequestCount
from .signals import on_stop_signal

log = logging.getLogger(__name__)

ROUTERS = (
    submission_routes.router,
    cluster_routes.router,
    metrics_routes.router,
    admin_routes.router,
    page_routes.router,
)
"""All that the master answers."""

QueueFactory = Callable[[Settings], MasterQueue]


def create_app(settings: Settings, queue_factory: QueueFactory) -> FastAPI:
    """The master's application. Nothing is connected before its lifespan starts."""
    master = Master(settings, queue_factory(settings), open_tracing(settings, "master"))

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        async with node_beside_master(settings):
            master.start()
            # The server waits for its connections before it ends the lifespan, and without limit (unless
            # it was started with --timeout-graceful-shutdown): so the drain starts with the signal.
            with on_stop_signal(master.drain):
                yield
            await master.stop()

    app = FastAPI(title="code-judge", version=__version__, lifespan=lifespan, openapi_url=None)
    app.state.master = master
    app.add_exception_handler(JudgeError, answer_error)
    app.add_exception_handler(RequestValidationError, answer_unfit_parameters)
    app.add_middleware(InFlightLimit, max_mb=settings.max_in_flight_mb, largest_mb=settings.max_body_mb)
    if settings.api_key:
        app.add_middleware(AccessMiddleware, api_key=settings.api_key.get_secret_value())
    else:
        log.warning("API_KEY is not set: whoever reaches this master may run programs; see docs/api.md")
    for router in ROUTERS:
        app.include_router(router)
    # The outermost, so that it sees what the others refuse.
    routes = [route for router in ROUTERS for route in router.routes]
    app.add_middleware(RequestCount, tally=master.queue.tally, routes=routes)
    return app
