"""A node over a queue in memory and a scripted executor."""

import threading
from collections.abc import Callable, Iterator

import pytest

from code_judge.settings import Settings
from code_judge_workers import claimer
from code_judge_workers.exit_codes import NodeExit
from code_judge_workers.manager import WorkerManager
from tests.support.node_queue import PATIENCE_S, MemoryNodeQueue
from tests.support.scripted_executor import ScriptedExecutor


class RunningNode:
    """A node on a thread of its own."""

    def __init__(self, settings: Settings, queue: MemoryNodeQueue, executor: ScriptedExecutor) -> None:
        self.manager = WorkerManager(settings, "node-1", queue, executor)
        self._exit: NodeExit | None = None
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def wait(self) -> NodeExit:
        """Its exit code, once it has left."""
        self._thread.join(PATIENCE_S)
        assert self._exit is not None, "the node does not leave"
        return self._exit

    def _run(self) -> None:
        self._exit = self.manager.run()


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claimer, "CLAIM_WAIT_S", 0.02)


@pytest.fixture
def queue() -> MemoryNodeQueue:
    return MemoryNodeQueue()


@pytest.fixture
def executor() -> ScriptedExecutor:
    return ScriptedExecutor()


StartNode = Callable[..., RunningNode]


@pytest.fixture
def start_node(queue: MemoryNodeQueue, executor: ScriptedExecutor) -> Iterator[StartNode]:
    """Starts a node with the given settings; all are killed at the end."""
    nodes: list[RunningNode] = []

    def start(**settings: object) -> RunningNode:
        chosen = {"max_workers": 2, "heartbeat_interval": 0.02, **settings}
        node = RunningNode(Settings.model_validate(chosen), queue, executor)
        nodes.append(node)
        return node

    yield start
    for node in nodes:
        node.manager.kill()
        node.wait()


@pytest.fixture
def node(start_node: StartNode) -> RunningNode:
    """A node with two worker threads."""
    return start_node()
