"""The benchmarks' caller counts what a server does, right or not."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer, unused_port

from benchmarks._server import Call, Server, Throughput, outcome_of


class PlainPeer:
    """Answers with plain fields only; refuses batches with a submission ``busy``."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []

    async def run(self, request: web.Request) -> web.Response:
        return web.json_response(_right((await request.json())["solution"]))

    async def run_batch(self, request: web.Request) -> web.Response:
        batch = [one["solution"] for one in (await request.json())["submissions"]]
        self.batches.append(batch)
        if "busy" in batch:
            return web.Response(status=503)
        return web.json_response({"sub_id": "", "results": [_right(one) for one in batch]})


def _right(name: str) -> dict[str, Any]:
    return {"sub_id": name, "success": True, "run_success": True, "cost": 0.25, "reason": ""}


@pytest.fixture
def peer() -> PlainPeer:
    return PlainPeer()


@pytest.fixture
async def server(peer: PlainPeer) -> AsyncIterator[Server]:
    app = web.Application()
    app.router.add_post("/run", peer.run)
    app.router.add_post("/run/long-batch", peer.run_batch)
    async with TestServer(app) as http, Server(str(http.make_url("/"))) as server:
        yield server


def _submissions(count: int) -> list[dict[str, str]]:
    return [{"solution": str(number)} for number in range(count)]


async def test_callers_send_every_submission_once(server: Server, peer: PlainPeer) -> None:
    stretch = await server.run_batches(_submissions(10), batch=3, callers=2, seconds=60)

    assert sorted(map(len, peer.batches)) == [1, 3, 3, 3]
    assert sorted(answer["sub_id"] for answer in stretch.answers) == sorted(map(str, range(10)))
    assert stretch.right == 10


async def test_no_batch_is_sent_once_the_time_is_over(server: Server, peer: PlainPeer) -> None:
    await server.run_batches(_submissions(10), batch=1, callers=2, seconds=0)

    assert len(peer.batches) == 2


async def test_what_a_server_refuses_is_not_right(server: Server) -> None:
    stretch = await server.run_batches(
        [{"solution": "busy"}, *_submissions(3)], batch=2, callers=1, seconds=60
    )

    assert sorted(map(outcome_of, stretch.answers)) == ["accepted", "accepted", "no_answer", "no_answer"]
    assert stretch.right == 2


async def test_a_server_that_is_not_there_answers_nothing() -> None:
    async with Server(f"http://127.0.0.1:{unused_port()}") as nobody:
        call = await asyncio.wait_for(nobody.run({"solution": ""}), 30)

    assert outcome_of(call.answer) == "no_answer"


def test_only_right_answers_count_as_runs() -> None:
    answers = [{"success": True}, {"success": False}, {"success": True}, {"success": True}]
    assert Throughput(answers, seconds=2.0).runs_per_s == 1.5


async def test_the_programs_own_time_is_told_from_the_servers(server: Server) -> None:
    call = await server.run({"solution": "one"})

    assert call.overhead_s == call.seconds - 0.25
    assert Call({"success": False}, seconds=0.5).overhead_s == 0.5


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ({"success": True, "reason": ""}, "accepted"),
        ({"success": False, "reason": ""}, "failed"),
        ({"success": False, "reason": "worker_timeout"}, "worker_timeout"),
        ({"success": False, "reason": "worker_timeout", "verdict": "time_limit"}, "time_limit"),
    ],
)
def test_the_outcome_is_as_exact_as_the_answer(answer: dict[str, Any], outcome: str) -> None:
    assert outcome_of(answer) == outcome
