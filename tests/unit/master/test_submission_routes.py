"""The routes that take submissions, as a client sees them."""

import json

import httpx
import pytest

from code_judge.contract import JUDGE_FIELDS, PLAIN_FIELDS, Result
from tests.support.memory_queue import MemoryQueue

pytestmark = pytest.mark.usefixtures("node")

SUBMISSION = {"type": "python", "solution": "print(input())", "input": "7"}
BATCHES = ["/run/batch", "/judge/batch", "/run/long-batch", "/judge/long-batch"]
SINGLES = ["/run", "/judge"]


def batch_of(*inputs: str, **fields: object) -> dict[str, object]:
    return {"submissions": [{**SUBMISSION, "sub_id": f"s{i}", "input": i, **fields} for i in inputs]}


async def test_a_plain_run_carries_exactly_the_fields_that_existing_clients_know(
    client: httpx.AsyncClient,
) -> None:
    answer = await client.post("/run", json={**SUBMISSION, "sub_id": "mine"})

    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    assert tuple(answer.json()) == PLAIN_FIELDS
    assert answer.json() == {
        "sub_id": "mine",
        "success": True,
        "run_success": True,
        "cost": 0.25,
        "stdout": "7",
        "stderr": "",
        "reason": "",
    }


async def test_a_plain_judge_leaves_the_streams_out(client: httpx.AsyncClient) -> None:
    answer = await client.post("/judge", json=SUBMISSION)

    assert tuple(answer.json()) == JUDGE_FIELDS


async def test_the_full_answer_carries_every_field_of_a_result(client: httpx.AsyncClient) -> None:
    answer = await client.post("/run", params={"detail": "full"}, json=SUBMISSION)

    assert set(answer.json()) == set(Result.model_fields)


async def test_a_full_judge_carries_all_but_the_streams(client: httpx.AsyncClient) -> None:
    answer = await client.post("/judge", params={"detail": "full"}, json=SUBMISSION)

    assert set(answer.json()) == set(Result.model_fields) - {"stdout", "stderr"}


@pytest.mark.parametrize("path", BATCHES)
async def test_a_batch_is_answered_in_the_order_it_was_sent(client: httpx.AsyncClient, path: str) -> None:
    names = [str(i) for i in range(250)]

    answer = await client.post(path, json={"sub_id": "whole", **batch_of(*names)})

    assert answer.json()["sub_id"] == "whole"
    assert [result["sub_id"] for result in answer.json()["results"]] == [f"s{name}" for name in names]


@pytest.mark.parametrize("path", BATCHES)
async def test_a_stream_has_a_line_per_result_with_its_index_and_a_closing_line(
    client: httpx.AsyncClient, path: str
) -> None:
    answer = await client.post(path, json=batch_of("a", "b", "c"), headers={"Accept": "application/x-ndjson"})

    assert answer.headers["content-type"].startswith("application/x-ndjson")
    *lines, closing = [json.loads(line) for line in answer.text.splitlines()]
    assert {(line["index"], line["sub_id"]) for line in lines} == {(0, "sa"), (1, "sb"), (2, "sc")}
    assert closing == {"done": True, "sub_id": closing["sub_id"], "count": 3}


async def test_names_are_made_up_where_the_caller_gave_none(client: httpx.AsyncClient) -> None:
    answer = await client.post("/run/batch", json={"submissions": [SUBMISSION, SUBMISSION]})

    names = {answer.json()["sub_id"], *(result["sub_id"] for result in answer.json()["results"])}
    assert len(names) == 3
    assert all(names)


async def test_a_batch_of_ten_thousand_passes(client: httpx.AsyncClient) -> None:
    answer = await client.post("/run/long-batch", json=batch_of(*map(str, range(10_000))))

    assert [result["stdout"] for result in answer.json()["results"]] == [str(i) for i in range(10_000)]


async def test_an_input_of_ten_megabytes_passes(client: httpx.AsyncClient) -> None:
    answer = await client.post("/run", json={**SUBMISSION, "input": "x" * 10_000_000})

    assert len(answer.json()["stdout"]) == 10_000_000


async def test_long_batches_are_cut_into_chunks_that_share_one_hash_tag(
    client: httpx.AsyncClient, queue: MemoryQueue
) -> None:
    await client.post("/run/long-batch", json=batch_of(*map(str, range(250))))

    assert [len(chunk) for chunk in queue.chunks] == [100, 100, 50]
    ids = [item.work_id for chunk in queue.chunks for item in chunk]
    [tag] = {work_id.partition("}")[0] for work_id in ids}
    assert ids[0] == tag + "}:0-0"
    assert ids[-1] == tag + "}:2-49"
