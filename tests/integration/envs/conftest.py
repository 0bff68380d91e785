"""The environment's server in this process, before a judge that runs harmless programs without walls.

Without ``openenv`` nothing here can be imported: see tests/unit/envs/test_openenv_is_there.py.
"""

import sys
from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

from code_judge_cli.local_judge import LocalJudge
from code_judge_client._loop_thread import LoopThread
from tests.support.fake_judge import FakeJudge
from tests.support.harmless_runs import really_run

if TYPE_CHECKING:
    from tests.support.env_server import EnvServer

collect_ignore_glob = [] if find_spec("openenv") else ["test_*.py"]


@pytest.fixture
def judge() -> Iterator[FakeJudge]:
    """In an event loop that is neither the test's nor the server's."""
    thread = LoopThread("fake-judge")
    judge = FakeJudge(really_run)
    thread.call(judge.start())
    yield judge
    thread.call(judge.stop())
    thread.stop()


@pytest.fixture(scope="package")
def real_judge() -> Iterator[LocalJudge]:
    """Redis, a worker node and a master. Tests that use it need a Redis server."""
    settings = {
        "MAX_WORKERS": "4",
        "LOG_LEVEL": "ERROR",
        "PYTHON_EXECUTOR_PATH": sys.executable,
        "WARM_TEMPLATES": ";",
        "WORKER_GRACE_TIME": "1",
    }
    with LocalJudge(settings) as judge:
        yield judge


@pytest.fixture
def server(judge: FakeJudge) -> Iterator["EnvServer"]:
    """A server with default settings."""
    from tests.support.env_server import EnvServer

    with EnvServer(judge.url) as server:
        yield server
