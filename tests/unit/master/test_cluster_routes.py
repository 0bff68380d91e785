"""What the master tells of the cluster."""

import httpx

from code_judge.contract import Submission
from code_judge.queue import WorkClass, WorkPayload
from tests.support.memory_queue import NODE, MemoryQueue


async def test_ping_is_answered_even_without_redis(client: httpx.AsyncClient, queue: MemoryQueue) -> None:
    queue.available = False

    answer = await client.get("/ping")

    assert answer.status_code == 200
    assert answer.json() == "pong"


async def test_status_has_exactly_the_two_fields_that_existing_clients_know(
    client: httpx.AsyncClient, queue: MemoryQueue
) -> None:
    await queue.submit([payload("a"), payload("b")])
    queue.nodes = [NODE, NODE.model_copy(update={"name": "node-2", "slots": 3})]

    assert (await client.get("/status")).json() == {"queue": 2, "num_workers": 7}


async def test_cluster_shows_nodes_languages_and_the_queue_by_class(
    client: httpx.AsyncClient, queue: MemoryQueue
) -> None:
    await queue.submit([payload("a")])

    told = (await client.get("/cluster")).json()

    assert [node["name"] for node in told["nodes"]] == ["node-1"]
    assert told["nodes"][0]["languages"][0] == {"name": "cpp", "version": "1"}
    assert told["slots"] == 4
    assert told["languages"] == ["cpp", "jupyter", "python"]
    assert told["queued"] == {"interactive": 0, "batch": 1, "long_batch": 0}
    assert told["in_flight"] == 0


async def test_the_judge_is_healthy_with_redis_and_a_worker(client: httpx.AsyncClient) -> None:
    answer = await client.get("/healthz")

    assert (answer.status_code, answer.json()) == (200, {"ready": True, "missing": []})


async def test_health_names_redis_where_it_is_away(client: httpx.AsyncClient, queue: MemoryQueue) -> None:
    queue.available = False

    answer = await client.get("/healthz")

    assert (answer.status_code, answer.json()) == (503, {"ready": False, "missing": ["redis"]})


async def test_health_names_the_worker_where_none_is_alive(
    client: httpx.AsyncClient, queue: MemoryQueue
) -> None:
    queue.nodes = []

    answer = await client.get("/healthz")

    assert (answer.status_code, answer.json()) == (503, {"ready": False, "missing": ["worker"]})


def payload(name: str) -> WorkPayload:
    return WorkPayload(
        work_id=f"{{t}}:{name}",
        timestamp=0,
        work_class=WorkClass.BATCH,
        long_running=False,
        max_wait_s=4,
        reply_to="nobody",
        submission=Submission(type="python", solution=""),
    )
