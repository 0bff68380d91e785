"""Settings of a small cluster of its own for each test."""

import sys

import pytest

from code_judge_cli.embedded_redis import EmbeddedRedis


@pytest.fixture
def environ(redis_server: EmbeddedRedis, key_prefix: str) -> dict[str, str]:
    """What an operator would write into the settings file."""
    return {
        "REDIS_URI": redis_server.uri,
        "REDIS_KEY_PREFIX": key_prefix,
        "MASTER_PROCESSES": "2",
        "MAX_WORKERS": "2",
        "WARM_TEMPLATES": " ",
        "HEARTBEAT_INTERVAL": "0.5",
        "PYTHON_EXECUTOR_PATH": sys.executable,
    }
