"""The server's entry point: ``uvicorn code_judge_env.server.app:app``, or the script ``server``."""

import argparse
import importlib
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cache, partial
from typing import Any

import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from openenv.core.env_server.http_server import HTTPEnvServer
from openenv.core.env_server.interfaces import Transform
from openenv.core.env_server.types import ConcurrencyConfig, Observation

# Absolute, since OpenEnv also loads this file as `server.app`.
from code_judge_env.models import CodeAction, CodeObservation, CodeState
from code_judge_env.server.code_judge_environment import (
    DESCRIPTION,
    NAME,
    CodeJudgeEnvironment,
)
from code_judge_env.server.connection import ListeningMiddleware
from code_judge_env.server.episode import Rules
from code_judge_env.server.errors import EnvError, EnvSettingsError, JudgeFailed, StepRefused
from code_judge_env.server.judging import Judging
from code_judge_env.server.settings import EnvSettings
from code_judge_env.server.tasks import OWN_TASKS, TaskSet
from code_judge_env.server.tools import TOOLS, checked

OPENAPI_VERSION = "1.0.0"
"""Of the HTTP interface; ``openenv validate`` looks for it."""
STARTUP_FAILURE = 3
"""The exit code by which uvicorn's supervisor knows that starting again would not help."""
FRAME_BYTES = 16 * 1024 * 1024
"""Longest WebSocket frame; a longer one closes its socket with 1009."""


def create_app(settings: EnvSettings) -> FastAPI:
    """The application, which starts its way to the judge with its lifespan. Raises EnvSettingsError."""
    checked(TOOLS)  # at start: OpenEnv would tell only the first client
    judging = Judging(settings)
    environment = partial(
        CodeJudgeEnvironment,
        judging,
        TaskSet.read(settings.tasks or OWN_TASKS),
        Rules(settings.max_steps, settings.all_or_nothing, settings.every_step_submits),
        loaded_transform(settings.transform),
    )
    server = HTTPEnvServer(
        environment,
        CodeAction,
        CodeObservation,
        concurrency_config=ConcurrencyConfig(
            max_concurrent_envs=settings.max_concurrent_envs,
            # OpenEnv counts from the end of the last step on: one that begins in time must not be cut off.
            session_timeout=settings.session_timeout + settings.step_timeout,
        ),
        env_name=NAME,
        state_cls=CodeState,
    )
    app = FastAPI(title="code-judge environment", description=DESCRIPTION, version=OPENAPI_VERSION)
    server.register_routes(app, mode=settings.openenv_mode.value)
    app.state.env_server = server
    app.add_middleware(ListeningMiddleware)
    app.add_exception_handler(EnvError, _http_error)
    app.router.lifespan_context = _with(judging, app.router.lifespan_context)
    return app


def _with(judging: Judging, inner: Callable[[FastAPI], Any]) -> Any:
    """A lifespan that has the judge around OpenEnv's own, which reaps sessions."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with judging, inner(app):
            yield

    return lifespan


async def _http_error(_: Request, error: Exception) -> JSONResponse:
    """For the plain HTTP routes, whose every call is a session of its own."""
    status = 503 if isinstance(error, JudgeFailed) else 409 if isinstance(error, StepRefused) else 500
    return JSONResponse({"detail": str(error)}, status)


def loaded_transform(name: str) -> Transform[Observation] | None:
    """What ``module:name`` says: a transform, or a class of one.

    Raises EnvSettingsError.
    """
    if not name:
        return None
    module, _, attribute = name.partition(":")
    try:
        found = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise EnvSettingsError(f"TRANSFORM={name!r}: {error}; it is written module:name") from None
    transform: Transform[Observation] = found() if isinstance(found, type) else found
    return transform


def __getattr__(name: str) -> Any:
    """Build ``app`` when it is asked for, so that importing this module reads and starts nothing."""
    if name == "app":
        return _build()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@cache  # uvicorn asks more than once
def _build() -> FastAPI:
    try:
        return create_app(EnvSettings.from_env(os.environ))
    except EnvSettingsError as error:
        print(error, file=sys.stderr)
        sys.exit(STARTUP_FAILURE)


def main() -> None:
    """What the script ``server`` runs."""
    parser = argparse.ArgumentParser(description="Serve the code judge's environment.")
    parser.add_argument("--host", default="0.0.0.0")
    parser.add_argument("--port", type=int, default=8000)
    args = parser.parse_args()
    uvicorn.run(_build(), host=args.host, port=args.port, ws_max_size=FRAME_BYTES)


if __name__ == "__main__":
    main()
