"""Whatever was accepted is answered: what the master does about items that no result comes for."""

import asyncio
from collections.abc import Callable

import httpx
import pytest

from code_judge.contract import Result, Submission
from code_judge.master import sweeper
from tests.support.http_master import OpenMaster
from tests.support.memory_queue import MemoryQueue, ScriptedNode, echo

SUBMISSION = {"type": "python", "solution": "", "input": "1"}


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sweeps follow each other fast, so that no test waits for one."""
    for name in ("PEEK_INTERVAL_S", "LEASED_INTERVAL_S", "EXPIRY_MARGIN_S"):
        monkeypatch.setattr(sweeper, name, 0.01)


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not condition():  # noqa: ASYNC110 - what it waits for tells nobody
            await asyncio.sleep(0.005)


def call(
    client: httpx.AsyncClient, count: int = 1, path: str = "/run/long-batch"
) -> asyncio.Task[httpx.Response]:
    return asyncio.create_task(client.post(path, json={"submissions": [SUBMISSION] * count}))


async def test_items_lost_with_redis_data_are_pushed_again_and_answered(
    client: httpx.AsyncClient, queue: MemoryQueue
) -> None:
    answer = call(client, count=150)
    await until(lambda: len(queue.waiting) == 150)
    queue.claim()

    queue.lose_everything()
    await until(lambda: len(queue.waiting) == 150)
    async with ScriptedNode(queue):
        results = (await answer).json()["results"]

    assert len(results) == 150
    assert all(result["success"] for result in results)


async def test_an_item_is_pushed_again_only_after_it_was_gone_twice(
    client: httpx.AsyncClient, queue: MemoryQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[int] = []
    states = queue.states

    async def counted(work_ids: list[str]) -> object:
        looks.append(len(queue.chunks))
        return await states(work_ids)

    monkeypatch.setattr(queue, "states", counted)
    answer = call(client)
    await until(lambda: bool(queue.waiting))

    queue.lose_everything()
    await until(lambda: len(queue.chunks) == 2)
    async with ScriptedNode(queue):
        await answer

    assert looks[:2] == [1, 1]


async def test_a_lost_item_is_found_although_newer_work_keeps_the_queue_busy(
    client: httpx.AsyncClient, queue: MemoryQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweeper, "CERTAINTY_INTERVAL_S", 0.05)

    async def head_of_more_urgent_work() -> float:
        return 0.0

    monkeypatch.setattr(queue, "head_score", head_of_more_urgent_work)
    answer = call(client)
    await until(lambda: bool(queue.waiting))

    queue.lose_everything()
    await until(lambda: bool(queue.waiting))
    async with ScriptedNode(queue):
        assert (await answer).json()["results"][0]["success"]


async def test_a_running_item_is_never_timed_out(open_master: OpenMaster, queue: MemoryQueue) -> None:
    client = await open_master(max_queue_work_life_time=0.01)
    answer = call(client, path="/run/batch")
    await until(lambda: bool(queue.waiting))
    [item] = queue.claim()

    await asyncio.sleep(0.3)  # many sweeps past its waiting time
    assert not answer.done()
    queue.complete(item.work_id, echo(item.submission))

    assert (await answer).json()["results"][0]["success"]


async def test_an_item_that_waits_too_long_is_cancelled_and_answered_queue_timeout(
    open_master: OpenMaster, queue: MemoryQueue
) -> None:
    client = await open_master(max_queue_work_life_time=0.05)

    answer = await call(client, count=3, path="/run/batch")

    assert [result["reason"] for result in answer.json()["results"]] == ["queue_timeout"] * 3
    await until(lambda: len(queue.cancelled) == 3)
    assert not queue.waiting


async def test_what_still_waits_is_not_asked_for_by_name(
    client: httpx.AsyncClient, queue: MemoryQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    peeks = 0
    head_score = queue.head_score

    async def counted() -> float | None:
        nonlocal peeks
        peeks += 1
        return await head_score()

    async def unexpected(_work_ids: object) -> object:
        raise AssertionError("a peek would have been enough")

    monkeypatch.setattr(queue, "head_score", counted)
    monkeypatch.setattr(queue, "states", unexpected)
    answer = call(client, count=50)

    await until(lambda: peeks >= 3)
    monkeypatch.undo()
    async with ScriptedNode(queue):
        assert (await answer).status_code == 200


async def test_callers_get_their_answers_once_redis_is_back(
    client: httpx.AsyncClient, queue: MemoryQueue
) -> None:
    answer = call(client)
    await until(lambda: bool(queue.waiting))

    queue.available = False
    refused = await client.post("/run", json=SUBMISSION)
    queue.lose_everything()
    queue.available = True
    async with ScriptedNode(queue):
        assert (await answer).json()["results"][0]["success"]

    assert refused.status_code == 503
    assert int(refused.headers["retry-after"]) >= 1


async def test_after_redis_was_away_everything_is_looked_for_whatever_the_head_of_the_queue_says(
    client: httpx.AsyncClient, queue: MemoryQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scores may begin anew after a restart: then the head says nothing of what was submitted before."""

    async def head_of_a_new_queue() -> float:
        return 0.0

    monkeypatch.setattr(queue, "head_score", head_of_a_new_queue)
    answer = call(client)
    await until(lambda: bool(queue.waiting))

    queue.restart_empty()
    await until(lambda: bool(queue.waiting))
    async with ScriptedNode(queue):
        assert (await answer).json()["results"][0]["success"]


async def test_a_second_result_of_one_item_is_dropped(client: httpx.AsyncClient, queue: MemoryQueue) -> None:
    answer = call(client)
    await until(lambda: bool(queue.waiting))
    [item] = queue.claim()
    for text in ("first", "second"):
        queue.leased[item.work_id] = item
        queue.complete(item.work_id, echo(item.submission.model_copy(update={"input": text})))

    assert [result["stdout"] for result in (await answer).json()["results"]] == ["first"]


async def test_a_full_queue_takes_all_of_a_batch_or_nothing(
    client: httpx.AsyncClient, queue: MemoryQueue
) -> None:
    queue.max_length = 250

    answer = await call(client, count=300)

    assert answer.status_code == 503
    assert int(answer.headers["retry-after"]) >= 1
    await until(lambda: not queue.waiting)


async def test_the_callers_own_deadline_cancels_what_is_left(
    client: httpx.AsyncClient, queue: MemoryQueue
) -> None:
    def only_the_first(submission: Submission) -> Result | None:
        return echo(submission) if submission.sub_id == "0" else None

    submissions = [{**SUBMISSION, "sub_id": str(index)} for index in range(3)]
    async with ScriptedNode(queue, only_the_first):
        answer = await client.post(
            "/run/long-batch", json={"submissions": submissions}, headers={"X-Judge-Deadline-S": "0.3"}
        )

    assert [result["reason"] for result in answer.json()["results"]] == ["", "queue_timeout", "queue_timeout"]
    await until(lambda: len(queue.cancelled) == 2)
    assert not queue.leased
