"""The synchronous client, used from threads that have no event loop."""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from code_judge.contract import Result
from code_judge_client import ClientClosed, JudgeTimeout, State, SyncJudgeClient
from tests.support.fake_judge import FakeJudge
from tests.unit.client.conftest import QUICK, program


@pytest.fixture
def client(far_judge: FakeJudge) -> Iterator[SyncJudgeClient]:
    with SyncJudgeClient(far_judge.url, retry=QUICK) as opened:
        yield opened


async def never(_submission: dict[str, Any]) -> Result:
    await asyncio.Event().wait()
    raise AssertionError


def test_it_does_what_the_asynchronous_client_does(client: SyncJudgeClient) -> None:
    assert client.run(program("a")).stdout == "a"
    assert client.judge(program("a", expected_output="a")).success
    assert [it.stdout for it in client.run_batch([program("a"), program("b")])] == ["a", "b"]
    streamed = {item.index: item.result.stdout for item in client.stream([program("a"), program("b")])}
    assert streamed == {0: "a", 1: "b"}
    assert client.status().num_workers == 8
    assert client.cluster().slots == 8


def test_threads_may_share_one(far_judge: FakeJudge) -> None:
    with SyncJudgeClient(far_judge.url) as client, ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda n: client.run(program(str(n))).stdout, range(40)))
    assert results == [str(n) for n in range(40)]


def test_errors_reach_the_caller(far_judge: FakeJudge, client: SyncJudgeClient) -> None:
    far_judge.behave = never
    with pytest.raises(JudgeTimeout):
        client.run(program("x"), timeout_s=0.2)


def test_leaving_a_stream_early_leaves_the_client_usable(client: SyncJudgeClient) -> None:
    for _ in client.stream([program(str(n)) for n in range(10)]):
        break
    assert client.run(program("a")).stdout == "a"


def test_once_closed_it_stays_closed_and_leaves_no_thread(far_judge: FakeJudge) -> None:
    client = SyncJudgeClient(far_judge.url)
    client.run(program("x"))
    client.close()
    client.close()
    assert client.state is State.CLOSED
    with pytest.raises(ClientClosed):
        client.run(program("x"))
    assert not [it for it in threading.enumerate() if it.name == "code-judge-client"]


def test_one_that_was_never_used_starts_no_thread() -> None:
    client = SyncJudgeClient()
    client.close()
    with pytest.raises(ClientClosed):
        client.open()
    assert not [it for it in threading.enumerate() if it.name == "code-judge-client"]
