"""What tests may need of the machine, and a Redis for those that need one.

A test says what it needs by markers. Where that is missing it is skipped, with the reason; with CI=true it
fails, since there a skipped guarantee would go unnoticed.
"""

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from functools import cache

import pytest

from code_judge_cli.embedded_redis import EmbeddedRedis, EmbeddedRedisError, find_server
from tests.support.browser import why_no_browser

# CLONE_NEWNS, NEWUTS, NEWIPC, NEWPID, NEWNET; without root, a user namespace (CLONE_NEWUSER) comes first.
_UNSHARE = """
import ctypes, os, sys
flags = 0x00020000 | 0x04000000 | 0x08000000 | 0x20000000 | 0x40000000
if os.geteuid() != 0:
    flags |= 0x10000000
sys.exit(ctypes.CDLL(None).unshare(flags) != 0)
"""


def _root_missing() -> str:
    return "" if os.geteuid() == 0 else "runs as root only"


def _namespaces_missing() -> str:
    made = subprocess.run([sys.executable, "-c", _UNSHARE], check=False).returncode == 0
    return "" if made else "this user may not create namespaces"


def _gxx_missing() -> str:
    return "" if shutil.which("g++") else "there is no g++ on PATH"


def _redis_missing() -> str:
    try:
        find_server()
    except EmbeddedRedisError as error:
        return str(error)
    return ""


def _program_missing(name: str) -> str:
    return "" if shutil.which(name) else f"there is no {name} on PATH"


def _module_missing(name: str) -> str:
    """Tests run programs with the interpreter that runs the tests."""
    return "" if importlib.util.find_spec(name) else f"{name} is not installed"


MISSING: dict[str, Callable[[], str]] = {
    "needs_root": cache(_root_missing),
    "needs_namespaces": cache(_namespaces_missing),
    "needs_gxx": cache(_gxx_missing),
    "needs_redis": cache(_redis_missing),
    "needs_tmux": cache(lambda: _program_missing("tmux")),
    "needs_systemd_analyze": cache(lambda: _program_missing("systemd-analyze")),
    "needs_numpy": cache(lambda: _module_missing("numpy")),
    "needs_sympy": cache(lambda: _module_missing("sympy")),
    "needs_chromium": cache(why_no_browser),
    "needs_openenv": cache(lambda: _module_missing("openenv")),
}
"""For each marker, what tells why its need is not met; an empty text where it is."""


def pytest_configure() -> None:
    # A shell that starts us in the background has us ignore Ctrl-C, and so would all that we start.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What one process may take of the tests (``pytest -n 2``): one part of the project at a time. Its tests
    share what is costly to start, and those of the sandbox want a core left to watch the programs."""
    for item in items:
        part = item.path.relative_to(item.config.rootpath).parts[:3]
        item.add_marker(pytest.mark.xdist_group("/".join(part)))


def pytest_runtest_setup(item: pytest.Item) -> None:
    for marker in item.iter_markers():
        reason = MISSING[marker.name]() if marker.name in MISSING else ""
        if reason and os.environ.get("CI") == "true":
            pytest.fail(f"{marker.name}: {reason}", pytrace=False)
        if reason:
            pytest.skip(f"{marker.name}: {reason}")


@pytest.fixture(scope="session")
def redis_server() -> Iterator[EmbeddedRedis]:
    """One server for all tests of a session; each keeps to its own ``key_prefix``."""
    with EmbeddedRedis() as server:
        yield server


@pytest.fixture
def key_prefix() -> str:
    """A REDIS_KEY_PREFIX that no other test has."""
    return f"test-{uuid.uuid4().hex}"
