"""The environment's server in this process, before a judge that runs harmless programs without walls.

Without ``openenv`` nothing here can be imported: see tests/unit/envs/test_openenv_is_there.py.
"""

from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

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


@pytest.fixture
def server(judge: FakeJudge) -> Iterator["EnvServer"]:
    """A server with default settings."""
    from tests.support.env_server import EnvServer

    with EnvServer(judge.url) as server:
        yield server
