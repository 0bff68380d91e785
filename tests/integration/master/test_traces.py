"""With OpenTelemetry, one trace leads from the caller's span through the request to each run."""

from collections.abc import Iterator

import httpx
import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from code_judge.master import app
from code_judge.queue.redis_master_queue import RedisMasterQueue
from code_judge.settings import Settings
from code_judge.tracing.otel import OtelTracing
from tests.support.http_master import running_master
from tests.support.running_node import running_node

pytestmark = pytest.mark.needs_redis

TRACE, CALLER = 0x0AF7651916CD43DD8448EB211C80319C, 0xB7AD6B7169203331
TRACEPARENT = f"00-{TRACE:032x}-{CALLER:016x}-01"


class Traced:
    """What was exported by a role; complete once the role has left."""

    def __init__(self, role: str) -> None:
        self._exporter = InMemorySpanExporter()
        self.tracing = OtelTracing(role, self._exporter)

    def spans(self) -> list[ReadableSpan]:
        return list(self._exporter.get_finished_spans())


@pytest.fixture
def master() -> Traced:
    return Traced("master")


@pytest.fixture
def worker() -> Traced:
    return Traced("worker")


@pytest.fixture
def cluster(
    settings: Settings, master: Traced, worker: Traced, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Settings]:
    monkeypatch.setattr(app, "open_tracing", lambda *_: master.tracing)
    with running_node(settings, tracing=worker.tracing):
        yield settings


def parent_id(span: ReadableSpan) -> int | None:
    return span.parent.span_id if span.parent else None


async def send(settings: Settings, headers: dict[str, str]) -> None:
    batch = {"submissions": [{"type": "python", "solution": "echo", "input": "1"}] * 3}
    async with running_master(settings, RedisMasterQueue) as client:
        answer: httpx.Response = await client.post("/run/long-batch", json=batch, headers=headers)
        assert answer.status_code == 200


async def test_runs_hang_below_their_request_and_that_below_its_caller(
    cluster: Settings, master: Traced, worker: Traced
) -> None:
    await send(cluster, {"traceparent": TRACEPARENT})
    worker.tracing.close()

    [request] = master.spans()
    assert request.context is not None
    assert (request.context.trace_id, parent_id(request)) == (TRACE, CALLER)
    runs = worker.spans()
    assert len(runs) == 3
    assert {parent_id(run) for run in runs} == {request.context.span_id}
    assert {(run.attributes or {})["verdict"] for run in runs} == {"ran"}


async def test_a_request_without_a_caller_that_traces_begins_a_trace(
    cluster: Settings, master: Traced
) -> None:
    await send(cluster, {"traceparent": "nonsense"})

    [request] = master.spans()
    assert request.parent is None


async def test_no_span_holds_what_was_submitted(cluster: Settings, master: Traced, worker: Traced) -> None:
    await send(cluster, {})
    worker.tracing.close()

    names = {name for span in (*master.spans(), *worker.spans()) for name in span.attributes or {}}
    assert names == {
        *("work_class", "submissions", "cancelled"),
        *("work_id", "verdict", "attempt", "queue_time_s"),
    }
