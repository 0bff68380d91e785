"""The meeting place of a node's threads, in the orders that are easy to get wrong."""

import pytest

from code_judge.contract import Result, Verdict
from code_judge_workers.executor import Cancelled
from code_judge_workers.workload import Assignment, Workload
from tests.support.node_queue import work
from tests.support.scripted_executor import ScriptedExecutor


def taken(workload: Workload) -> Assignment:
    assignment = workload.next()
    assert assignment
    return assignment


def open_workload(slots: int = 2) -> Workload:
    workload = Workload(slots)
    workload.set_online(True)
    return workload


RESULT = Result.of("a", Verdict.RAN)


def test_items_that_come_after_the_close_are_not_taken() -> None:
    workload = open_workload()

    workload.close()

    assert not workload.add([work("a")])
    assert workload.room() == 0
    assert workload.busy == 0


def test_room_shrinks_with_every_item_in_hand() -> None:
    workload = open_workload(slots=3)
    assert workload.room() == 3

    workload.add([work("a"), work("b")])

    assert workload.room() == 1


def test_a_result_that_comes_after_its_item_was_taken_back_is_not_told() -> None:
    workload = open_workload()
    workload.add([work("a")])
    assignment = taken(workload)

    assert [item.payload.work_id for item in workload.take_back()] == ["a"]
    workload.finish(assignment, RESULT)
    workload.no_more_answers()

    assert workload.answers() == []


def test_who_finds_nothing_in_hand_finds_all_answers() -> None:
    workload = open_workload()
    workload.add([work("a"), work("b")])
    for _ in range(2):
        workload.finish(taken(workload), RESULT)

    assert workload.wait_idle(0)
    workload.no_more_answers()

    assert len(workload.answers()) == 2
    assert workload.answers() == []


def test_an_item_that_is_cancelled_before_a_thread_takes_it_never_starts() -> None:
    workload, executor = open_workload(), ScriptedExecutor()
    workload.add([work("a")])
    workload.cancel({"a"})
    assignment = taken(workload)

    with pytest.raises(Cancelled):
        assignment.judge(executor)
    assert executor.entered == []


def test_the_same_item_can_be_in_hand_twice() -> None:
    """1. Redis is away until the lease lapses. 2. This very node claims the item anew. Result: two runs,
    each with its own place, and a cancellation meets both."""
    workload = open_workload()
    workload.add([work("a", attempt=1)])
    workload.add([work("a", attempt=2)])

    workload.finish(taken(workload), RESULT)

    assert workload.busy == 1
