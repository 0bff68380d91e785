"""A cluster, and a browser that looks at its page."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import Browser, Page, sync_playwright

from code_judge.bound_child import bound_to_this_process
from code_judge_cli.embedded_redis import EmbeddedRedis
from tests.support.browser import find_browser
from tests.support.uvicorn_master import UvicornMaster

PATIENCE_MS = 60_000
NODE_COMMAND = (sys.executable, "-m", "code_judge_workers.main")


@pytest.fixture(scope="module")  # no longer: playwright runs an event loop, which other tests want for theirs
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        # Chromium's own sandbox cannot be had by root; the page is our own.
        browser = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def looking_at(browser: Browser, url: str, **context: object) -> Iterator[Page]:
    """The page; whatever its scripts complain of, or its policy refuses, fails the test."""
    complaints: list[str] = []
    with browser.new_context(**context) as opened:  # type: ignore[arg-type]
        opened.set_default_timeout(PATIENCE_MS)
        page = opened.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console", lambda message: complaints.append(message.text) if message.type == "error" else None
        )
        page.goto(url)
        yield page
    refused = "Failed to load resource"  # what the judge answers is the test's business
    assert [text for text in complaints if refused not in text] == []


class PageCluster:
    """A Redis, two master processes, and nodes as processes that can be killed."""

    def __init__(self, stack: ExitStack, environ: dict[str, str], url: str) -> None:
        self._stack = stack
        self._environ = environ
        self.url = url

    def start_node(self, name: str) -> "subprocess.Popen[bytes]":
        node = subprocess.Popen(
            bound_to_this_process(NODE_COMMAND),
            env={**self._environ, "NODE_NAME": name},
            start_new_session=True,
        )
        self._stack.callback(_end, node)
        return node


def _end(node: "subprocess.Popen[bytes]") -> None:
    node.terminate()
    node.wait()


@contextmanager
def page_cluster(folder: Path, **settings: str) -> Iterator[PageCluster]:
    """A cluster without nodes yet."""
    with ExitStack() as stack:
        redis = stack.enter_context(EmbeddedRedis())
        environ = {
            "REDIS_URI": redis.uri,
            "PYTHON_EXECUTOR_PATH": sys.executable,
            "WARM_TEMPLATES": ";",
            "MAX_WORKERS": "2",
            "HEARTBEAT_INTERVAL": "0.5",
            "WORKER_GRACE_TIME": "1",
            "LOG_LEVEL": "ERROR",
            **settings,
        }
        master = stack.enter_context(UvicornMaster(folder, workers=2, **environ))
        yield PageCluster(stack, {**os.environ, **environ}, master.url)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageCluster]:
    """One with a node that lives as long as the tests."""
    with page_cluster(tmp_path_factory.mktemp("page")) as cluster:
        cluster.start_node("node-a")
        yield cluster


def kill(node: "subprocess.Popen[bytes]") -> None:
    """As a machine that loses its power."""
    os.killpg(node.pid, signal.SIGKILL)
