"""An operator pauses the cluster, and drains nodes, without losing a call."""

import asyncio

import httpx
import pytest

from code_judge.master import lookout
from tests.support.http_master import OpenMaster
from tests.support.memory_queue import NODE, MemoryQueue, ScriptedNode

SUBMISSION = {"type": "python", "solution": "", "input": "1"}


@pytest.mark.parametrize("path", ["/run", "/run/batch", "/judge/long-batch"])
async def test_a_paused_judge_refuses_new_work_with_429_and_says_when_to_retry(
    client: httpx.AsyncClient, path: str
) -> None:
    await client.post("/admin/pause")

    answer = await client.post(path, json=SUBMISSION)

    assert answer.status_code == 429
    assert answer.headers["x-judge-paused"] == "true"
    assert int(answer.headers["retry-after"]) >= 1


async def test_what_was_accepted_before_the_pause_is_answered(
    client: httpx.AsyncClient, queue: MemoryQueue
) -> None:
    call = asyncio.create_task(client.post("/run", json=SUBMISSION))
    await asyncio.wait_for(queue.arrival.wait(), 10)

    paused = (await client.post("/admin/pause")).json()
    async with ScriptedNode(queue):
        answer = await call

    assert paused == {"paused": True, "in_flight": 1, "queued": 1, "running": 0}
    assert answer.json()["success"]
    assert (await client.get("/admin/state")).json()["in_flight"] == 0


@pytest.mark.usefixtures("node")
async def test_pause_and_resume_may_be_said_twice(client: httpx.AsyncClient) -> None:
    said = [
        (await client.post(f"/admin/{word}")).json()["paused"]
        for word in ("pause", "pause", "resume", "resume")
    ]

    assert said == [True, True, False, False]
    assert (await client.post("/run", json=SUBMISSION)).status_code == 200


async def test_a_pause_holds_for_every_master_of_the_cluster(
    open_master: OpenMaster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lookout, "FRESH_S", 0.0)
    one, other = await open_master(), await open_master()

    await one.post("/admin/pause")

    assert (await other.post("/run", json=SUBMISSION)).status_code == 429


async def test_a_node_is_asked_to_leave_as_often_as_an_operator_likes(
    client: httpx.AsyncClient, queue: MemoryQueue
) -> None:
    queue.nodes = [NODE.model_copy(update={"name": "rack 1/node"})]

    answers = [await client.post("/admin/drain/rack%201/node") for _ in range(2)]

    assert [answer.json()["name"] for answer in answers] == ["rack 1/node"] * 2
    assert set(queue.drained) == {"rack 1/node"}


async def test_draining_a_node_that_is_not_there_is_404_and_names_it(
    client: httpx.AsyncClient, queue: MemoryQueue
) -> None:
    answer = await client.post("/admin/drain/nobody")

    assert answer.status_code == 404
    assert "'nobody'" in answer.json()["detail"]
    assert not queue.drained
