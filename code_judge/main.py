"""The master's entry point: ``uvicorn code_judge.main:app``."""

import os
import sys
from functools import cache
from typing import Any

from fastapi import FastAPI

from code_judge.errors import SettingsError
from code_judge.logs import configure_logs
from code_judge.master import create_app
from code_judge.queue.redis_master_queue import RedisMasterQueue
from code_judge.settings import Settings

STARTUP_FAILURE = 3
"""The exit code by which uvicorn's supervisor knows that starting again would not help."""


def __getattr__(name: str) -> Any:
    """Build ``app`` when it is asked for, so that importing this module reads and connects nothing."""
    if name == "app":
        return _build()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@cache  # uvicorn asks more than once
def _build() -> FastAPI:
    try:
        settings = Settings.from_env(os.environ)
        if not settings.redis_uri:
            raise SettingsError(
                "REDIS_URI is not set: a master needs the address of its cluster's Redis, such as "
                "redis://HOST:6379. For a judge on this machine alone, use `code-judge up` instead."
            )
        configure_logs(settings)
        return create_app(settings, RedisMasterQueue)
    except SettingsError as error:
        print(error, file=sys.stderr)
        sys.exit(STARTUP_FAILURE)
