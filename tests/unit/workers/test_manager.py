"""What a worker node promises, from its start to its end."""

import json
from pathlib import Path

import pytest

from code_judge.contract import Verdict
from code_judge_workers import manager as manager_module
from code_judge_workers.exit_codes import NodeExit
from tests.support.node_queue import MemoryNodeQueue, work
from tests.support.scripted_executor import ScriptedExecutor

from .conftest import RunningNode, StartNode

# Work


@pytest.mark.usefixtures("node")
def test_every_item_is_answered_with_the_node_the_attempt_and_its_time_in_the_queue(
    queue: MemoryNodeQueue,
) -> None:
    queue.put(*(work(f"item-{index}", queue_time_s=1.5, attempt=2) for index in range(50)))

    queue.wait_for(lambda: len(queue.answers) == 50)

    for work_id, result in queue.answers.items():
        assert (result.sub_id, result.verdict, result.stdout) == (work_id, Verdict.RAN, work_id)
        assert (result.node, result.attempts, result.queue_time) == ("node-1", 2, 1.5)


@pytest.mark.usefixtures("node")
def test_a_node_claims_no_more_than_it_has_free_threads(
    queue: MemoryNodeQueue, executor: ScriptedExecutor
) -> None:
    queue.put(work("a", "wait"))
    executor.wait_until_running("a")
    queue.put(*(work(f"item-{index}") for index in range(10)))

    queue.wait_for(lambda: len(queue.answers) == 10)

    assert queue.claims[0] == 2
    assert set(queue.claims[1:]) == {1}


@pytest.mark.usefixtures("node")
def test_an_item_that_waited_too_long_is_answered_queue_timeout_and_not_run(
    queue: MemoryNodeQueue, executor: ScriptedExecutor
) -> None:
    queue.put(work("late", queue_time_s=10.1), work("in-time", queue_time_s=9.9))

    queue.wait_for(lambda: len(queue.answers) == 2)

    assert queue.answers["late"].verdict is Verdict.QUEUE_TIMEOUT
    assert queue.answers["in-time"].verdict is Verdict.RAN
    assert executor.entered == ["in-time"]


@pytest.mark.usefixtures("node")
def test_an_unexpected_error_is_answered_internal_error_and_costs_no_thread(queue: MemoryNodeQueue) -> None:
    queue.put(*(work(f"bad-{index}", "raise") for index in range(5)), work("good"))

    queue.wait_for(lambda: len(queue.answers) == 6)

    assert queue.answers["bad-4"].verdict is Verdict.INTERNAL_ERROR
    assert "ZeroDivisionError" in queue.answers["bad-4"].stderr
    assert queue.answers["good"].verdict is Verdict.RAN
    seen = len(queue.beats)
    queue.wait_for(lambda: len(queue.beats) > seen)
    assert queue.beats[-1].slots == 2


def test_internal_errors_are_saved_where_a_folder_is_set(
    start_node: StartNode, queue: MemoryNodeQueue, tmp_path: Path
) -> None:
    start_node(error_case_save_path=tmp_path / "cases")
    queue.put(work("{tag}:0-7", "fail"), work("{tag}:0-8"))

    queue.wait_for(lambda: len(queue.answers) == 2)

    [file] = (tmp_path / "cases").iterdir()
    assert file.name == "tag0-7.json"
    assert json.loads(file.read_text())["submission"]["solution"] == "fail"


def test_a_case_that_cannot_be_saved_is_answered_all_the_same(
    start_node: StartNode, queue: MemoryNodeQueue, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    start_node(error_case_save_path=tmp_path / "file")

    queue.put(work("a", "fail"))

    queue.wait_for(lambda: "a" in queue.answers)


# Heartbeats


@pytest.mark.usefixtures("node")
def test_heartbeats_tell_the_threads_alive_and_those_busy(
    queue: MemoryNodeQueue, executor: ScriptedExecutor
) -> None:
    queue.put(work("a", "wait"))
    executor.wait_until_running("a")

    queue.wait_for(lambda: queue.beats[-1].busy == 1)

    beat = queue.beats[-1]
    assert (beat.name, beat.slots, beat.draining, beat.sandbox) == ("node-1", 2, False, "scripted")
    assert [language.name for language in beat.languages] == ["python"]


@pytest.mark.usefixtures("node")
def test_a_cancelled_run_is_killed_and_not_answered(
    queue: MemoryNodeQueue, executor: ScriptedExecutor
) -> None:
    queue.put(work("unwanted", "wait"), work("wanted", "wait"))
    executor.wait_until_running("unwanted", "wanted")

    queue.cancelled = ["unwanted", "never-heard-of"]
    queue.put(work("next"))
    queue.wait_for(lambda: "next" in queue.answers)
    executor.release()
    queue.wait_for(lambda: "wanted" in queue.answers)

    assert executor.killed == ["unwanted"]
    assert "unwanted" not in queue.answers


# Redis away


@pytest.mark.usefixtures("node")
def test_results_are_held_while_redis_is_away_and_delivered_when_it_is_back(
    queue: MemoryNodeQueue, executor: ScriptedExecutor
) -> None:
    queue.put(work("a", "wait"), work("b", "wait"))
    executor.wait_until_running("a", "b")

    queue.available = False
    executor.release()
    assert not queue.answers
    queue.available = True

    queue.wait_for(lambda: set(queue.answers) == {"a", "b"})
    queue.put(work("c"))
    queue.wait_for(lambda: "c" in queue.answers)


def test_a_node_that_starts_before_redis_works_once_redis_is_there(
    start_node: StartNode, queue: MemoryNodeQueue
) -> None:
    queue.available = False
    queue.put(work("a"))
    start_node()

    queue.available = True

    queue.wait_for(lambda: "a" in queue.answers)
    assert queue.beats, "it must have registered before it claims"


# Leaving


def test_a_draining_node_finishes_its_runs_and_claims_nothing_more(
    node: RunningNode, queue: MemoryNodeQueue, executor: ScriptedExecutor
) -> None:
    queue.put(work("a", "wait"))
    executor.wait_until_running("a")

    node.manager.drain()
    queue.wait_for(lambda: queue.beats[-1].draining)  # the lease is kept meanwhile
    queue.put(work("too-late"))
    executor.release()

    assert node.wait() is NodeExit.LEFT
    assert queue.answers["a"].verdict is Verdict.RAN
    assert "too-late" not in queue.answers
    assert executor.stopped


def test_what_outlives_the_grace_time_is_killed_and_given_back(
    start_node: StartNode, queue: MemoryNodeQueue, executor: ScriptedExecutor
) -> None:
    node = start_node(worker_grace_time=0.05)
    queue.put(work("a", "wait"), work("b", "wait"))
    executor.wait_until_running("a", "b")

    node.manager.drain()

    assert node.wait() is NodeExit.LEFT
    assert sorted(queue.given_back) == ["a", "b"]
    assert not queue.answers


def test_a_second_request_to_stop_kills_the_runs_and_gives_them_back_at_once(
    node: RunningNode, queue: MemoryNodeQueue, executor: ScriptedExecutor
) -> None:
    queue.put(work("a", "wait"), work("b", "wait"))
    executor.wait_until_running("a", "b")

    node.manager.drain()
    node.manager.kill()

    assert node.wait() is NodeExit.FORCED
    assert sorted(queue.given_back) == ["a", "b"]
    assert not queue.answers


def test_an_operators_word_through_the_queue_drains_the_node(
    queue: MemoryNodeQueue, executor: ScriptedExecutor, node: RunningNode
) -> None:
    queue.put(work("a", "wait"))
    executor.wait_until_running("a")

    queue.drain_wanted = True

    queue.wait_for(lambda: queue.beats[-1].draining)
    executor.release()
    assert node.wait() is NodeExit.LEFT
    assert queue.answers["a"].verdict is Verdict.RAN


def test_a_leaving_node_reports_before_it_deregisters(
    node: RunningNode, queue: MemoryNodeQueue, executor: ScriptedExecutor
) -> None:
    queue.put(work("a", "wait"))
    executor.wait_until_running("a")

    node.manager.drain()
    executor.release()
    node.wait()
    beats = len(queue.beats)

    assert queue.calls == ["complete", "deregister", "close"]
    assert len(queue.beats) == beats


def test_a_node_that_cannot_deliver_before_it_leaves_says_so(
    node: RunningNode,
    queue: MemoryNodeQueue,
    executor: ScriptedExecutor,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(manager_module, "LEAVING_S", 0.05)
    queue.put(work("a", "wait"))
    executor.wait_until_running("a")

    queue.available = False
    node.manager.drain()
    executor.release()

    assert node.wait() is NodeExit.UNDELIVERED


@pytest.mark.parametrize("stop", ["drain", "kill"])
def test_a_redis_that_hangs_does_not_keep_a_node_from_leaving(
    node: RunningNode,
    queue: MemoryNodeQueue,
    executor: ScriptedExecutor,
    monkeypatch: pytest.MonkeyPatch,
    stop: str,
) -> None:
    monkeypatch.setattr(manager_module, "LEAVING_S", 0.05)
    queue.put(work("a", "wait"), work("b", "wait"))
    executor.wait_until_running("a", "b")

    queue.responsive.clear()
    try:
        getattr(node.manager, stop)()
        executor.release()
        assert node.wait() is (NodeExit.UNDELIVERED if stop == "drain" else NodeExit.FORCED)
    finally:
        queue.responsive.set()


def test_a_node_whose_thread_dies_gives_back_its_work_and_leaves(
    start_node: StartNode, queue: MemoryNodeQueue
) -> None:
    node = start_node(worker_grace_time=0.05)

    queue.put(work("a", "die"))

    assert node.wait() is NodeExit.FAILED
    assert queue.given_back == ["a"]
