"""The master over the real queue."""

import asyncio
from collections.abc import Awaitable, Callable

import httpx
import pytest
from redis import Redis

from code_judge.contract import PLAIN_FIELDS
from code_judge.queue.redis_master_queue import RedisMasterQueue
from code_judge.settings import Settings
from code_judge_cli.embedded_redis import EmbeddedRedis
from tests.support.http_master import running_master
from tests.support.running_node import running_node
from tests.support.scripted_executor import ScriptedExecutor

pytestmark = pytest.mark.needs_redis


def submission(text: str = "echo", **fields: str) -> dict[str, str]:
    return {"type": "python", "solution": text, "input": "7", **fields}


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(20):
        while not await condition():  # noqa: ASYNC110 - Redis tells nobody
            await asyncio.sleep(0.02)


async def status(client: httpx.AsyncClient) -> tuple[int, int]:
    told = (await client.get("/status")).json()
    return told["queue"], told["num_workers"]


@pytest.mark.usefixtures("node")
async def test_a_run_is_answered(client: httpx.AsyncClient) -> None:
    answer = await client.post("/run", json=submission(sub_id="mine"))

    assert answer.status_code == 200, answer.text
    assert tuple(answer.json()) == PLAIN_FIELDS
    assert (answer.json()["sub_id"], answer.json()["stdout"]) == ("mine", "7")


@pytest.mark.usefixtures("node")
@pytest.mark.parametrize("path", ["/run/batch", "/run/long-batch"])
async def test_a_batch_of_a_thousand_is_answered_in_order(settings: Settings, path: str) -> None:
    patient = settings.model_copy(update={"max_queue_work_life_time": 60})
    async with running_master(patient, RedisMasterQueue) as client:
        answer = await client.post(
            path, json={"submissions": [submission(input=str(i)) for i in range(1000)]}
        )

    assert [result["stdout"] for result in answer.json()["results"]] == [str(i) for i in range(1000)]


async def test_status_counts_what_waits_and_the_threads_of_live_nodes(
    client: httpx.AsyncClient, settings: Settings
) -> None:
    assert await status(client) == (0, 0)
    call = asyncio.create_task(client.post("/run/long-batch", json={"submissions": [submission()] * 30}))
    await until(lambda: _is(client, (30, 0)))

    with running_node(settings):
        await until(lambda: _is(client, (0, 8)))
        assert (await call).status_code == 200


async def _is(client: httpx.AsyncClient, wanted: tuple[int, int]) -> bool:
    return await status(client) == wanted


async def test_a_caller_that_hangs_up_takes_its_work_out_of_the_queue_and_off_the_nodes(
    client: httpx.AsyncClient, node: ScriptedExecutor
) -> None:
    """Its deadline stands for the hang-up here: both take the same way."""
    answer = await client.post(
        "/run/long-batch",
        json={"submissions": [submission("wait")] * 30},
        headers={"X-Judge-Deadline-S": "1"},
    )

    assert {result["reason"] for result in answer.json()["results"]} == {"queue_timeout"}
    await until(lambda: _is_killed(node, 8))
    assert await status(client) == (0, 8)


async def _is_killed(node: ScriptedExecutor, count: int) -> bool:
    return len(node.killed) >= count


async def test_a_pause_holds_for_all_masters_and_is_kept_in_redis(settings: Settings) -> None:
    async with running_master(settings, RedisMasterQueue) as one:
        assert (await one.post("/admin/pause")).json()["paused"]

    async with running_master(settings, RedisMasterQueue) as other:
        assert (await other.post("/run", json=submission())).status_code == 429
        assert not (await other.post("/admin/resume")).json()["paused"]


async def test_callers_get_their_answers_although_redis_loses_everything(
    client: httpx.AsyncClient, settings: Settings, redis_server: EmbeddedRedis
) -> None:
    call = asyncio.create_task(client.post("/run/long-batch", json={"submissions": [submission()] * 300}))
    await until(lambda: _is(client, (300, 0)))

    with Redis.from_url(redis_server.uri) as admin:
        admin.delete(*admin.scan_iter(f"{settings.redis_key_prefix}:*"))
    with running_node(settings):
        answer = await call

    assert [result["success"] for result in answer.json()["results"]] == [True] * 300


async def test_a_master_starts_without_redis_and_says_so(settings: Settings) -> None:
    lonely = settings.model_copy(update={"redis_uri": "redis://127.0.0.1:1"})
    async with running_master(lonely, RedisMasterQueue) as client:
        health = await client.get("/healthz")
        answer = await client.post("/run", json=submission())

    assert (health.status_code, health.json()["missing"]) == (503, ["redis"])
    assert answer.status_code == 503
    assert int(answer.headers["retry-after"]) >= 1
