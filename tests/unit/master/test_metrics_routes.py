"""``/metrics`` is what Prometheus can read, and says of the cluster what is so."""

import httpx
from prometheus_client.parser import text_string_to_metric_families

from code_judge.metrics.families import FAMILIES
from tests.support.memory_queue import MemoryQueue, ScriptedNode

OPENMETRICS = "application/openmetrics-text; version=1.0.0"


def samples(text: str) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def value(text: str, name: str, **labels: str) -> float:
    return samples(text)[name, frozenset(labels.items())]


async def scrape(client: httpx.AsyncClient) -> str:
    answer = await client.get("/metrics")
    assert answer.status_code == 200
    return answer.text


async def test_prometheus_reads_it(client: httpx.AsyncClient) -> None:
    answer = await client.get("/metrics")

    assert answer.headers["content-type"].startswith("text/plain; version=")
    assert list(text_string_to_metric_families(answer.text))


async def test_openmetrics_is_there_for_who_asks_for_it(client: httpx.AsyncClient) -> None:
    answer = await client.get("/metrics", headers={"Accept": OPENMETRICS})

    assert answer.headers["content-type"].startswith("application/openmetrics-text")
    assert answer.text.endswith("# EOF\n")


async def test_every_family_is_there_with_its_type(client: httpx.AsyncClient) -> None:
    kinds = {
        line.split()[2]: line.split()[3]
        for line in (await scrape(client)).splitlines()
        if line.startswith("# TYPE")
    }

    assert kinds == {family.name: type(family).__name__.lower() for family in FAMILIES}


async def test_requests_are_counted_by_route_and_status(
    client: httpx.AsyncClient, queue: MemoryQueue
) -> None:
    async with ScriptedNode(queue):
        await client.post("/run", json={"type": "python", "solution": "1"})
    await client.post("/run", json={"type": "python"})
    await client.get("/nothing/of/ours")

    text = await scrape(client)

    assert value(text, "code_judge_requests_total", route="/run", status="200") == 1
    assert value(text, "code_judge_requests_total", route="/run", status="422") == 1
    assert value(text, "code_judge_requests_total", route="other", status="404") == 1
    assert value(text, "code_judge_request_seconds_count", route="/run") == 2


async def test_what_a_batch_holds_of_bad_submissions_counts_as_invalid_input(
    client: httpx.AsyncClient,
) -> None:
    await client.post("/run/batch", json={"submissions": [{"type": "python"}]})

    text = await scrape(client)

    assert value(text, "code_judge_results_total", verdict="invalid_input", language="unknown") == 1


async def test_queue_and_nodes_are_shown_as_they_stand(client: httpx.AsyncClient, queue: MemoryQueue) -> None:
    text = await scrape(client)

    assert value(text, "code_judge_redis_up") == 1
    assert value(text, "code_judge_queue_length", **{"class": "long_batch"}) == 0
    assert value(text, "code_judge_nodes") == 1
    assert value(text, "code_judge_node_slots", node=queue.nodes[0].name) == 4


async def test_buckets_are_cumulative_and_end_with_the_count(
    client: httpx.AsyncClient, queue: MemoryQueue
) -> None:
    key = ("code_judge_run_seconds", "python")
    queue.told |= {(*key, "0.005"): 2, (*key, "0.1"): 3, (*key, "+Inf"): 1, (*key, "sum"): 61.5}

    text = await scrape(client)

    for bound, count in {"0.005": 2, "0.05": 2, "0.1": 5, "60": 5, "+Inf": 6}.items():
        assert value(text, "code_judge_run_seconds_bucket", language="python", le=bound) == count
    assert value(text, "code_judge_run_seconds_count", language="python") == 6
    assert value(text, "code_judge_run_seconds_sum", language="python") == 61.5


async def test_a_family_of_a_newer_process_is_left_out(client: httpx.AsyncClient, queue: MemoryQueue) -> None:
    queue.told[("code_judge_from_the_future_total",)] = 1

    assert "future" not in await scrape(client)


async def test_while_redis_is_away_the_page_says_so_and_nothing_else(
    client: httpx.AsyncClient, queue: MemoryQueue
) -> None:
    queue.available = False

    assert samples(await scrape(client)) == {("code_judge_redis_up", frozenset()): 0}
