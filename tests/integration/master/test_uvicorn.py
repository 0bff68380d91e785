"""The master as people start it, spoken to through real sockets."""

import json
import socket
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import psutil
import pytest

from tests.support.scripted_executor import ScriptedExecutor
from tests.support.uvicorn_master import UvicornMaster

pytestmark = pytest.mark.needs_redis

SUBMISSION = {"type": "python", "solution": "echo", "input": "7"}
BATCH = "/run/long-batch"


def until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def waiting_batch(count: int) -> dict[str, object]:
    return {"submissions": [{**SUBMISSION, "solution": "wait"}] * count}


@pytest.mark.usefixtures("node")
def test_all_processes_answer_and_all_of_them_heed_a_pause(tmp_path: Path, environ: dict[str, str]) -> None:
    with UvicornMaster(tmp_path, workers=2, **environ) as master, ThreadPoolExecutor(8) as pool:

        def run(_: int) -> int:  # a connection of its own each time, so that both processes get some
            return httpx.post(master.url + "/run", json=SUBMISSION, timeout=60).status_code

        answered = set(pool.map(run, range(40)))
        httpx.post(master.url + "/admin/pause", timeout=60)
        time.sleep(1.0)  # what docs/api.md promises for all processes
        paused = set(pool.map(run, range(40)))
        httpx.post(master.url + "/admin/resume", timeout=60)

    assert answered == {200}
    assert paused == {429}


def test_results_stream_while_others_still_run(
    tmp_path: Path, environ: dict[str, str], node: ScriptedExecutor
) -> None:
    batch = {"submissions": [{**SUBMISSION, "solution": "wait"}, SUBMISSION]}
    with (
        UvicornMaster(tmp_path, 1, **environ) as master,
        httpx.stream(
            "POST", master.url + BATCH, json=batch, headers={"Accept": "application/x-ndjson"}, timeout=60
        ) as answer,
    ):
        lines = answer.iter_lines()
        first = json.loads(next(lines))
        node.release()
        rest = [json.loads(line) for line in lines]

    assert first["index"] == 1
    assert [line.get("index") for line in rest] == [0, None]
    assert rest[-1]["done"] is True


@pytest.mark.parametrize("accept", ["application/json", "application/x-ndjson"])
def test_a_caller_that_hangs_up_takes_its_queued_and_its_running_work_along(
    tmp_path: Path, environ: dict[str, str], node: ScriptedExecutor, accept: str
) -> None:
    body = json.dumps(waiting_batch(30)).encode()
    head = f"POST {BATCH} HTTP/1.1\r\nHost: judge\r\nAccept: {accept}\r\nContent-Length: {len(body)}\r\n\r\n"
    with UvicornMaster(tmp_path, 1, **environ) as master:

        def queued() -> int:
            return int(httpx.get(master.url + "/status").json()["queue"])

        with socket.create_connection(("127.0.0.1", int(master.url.rpartition(":")[2]))) as caller:
            caller.sendall(head.encode() + body)
            until(lambda: len(node.entered) == 8 and queued() > 0)

        until(lambda: queued() == 0)
        until(lambda: len(node.killed) >= 8)


def test_a_body_over_the_limit_is_answered_413_and_not_by_a_broken_pipe(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    def endless() -> object:
        for _ in range(30):
            yield b" " * 1_000_000

    with UvicornMaster(tmp_path, 1, **environ) as master:
        announced = httpx.post(master.url + "/run", content=b" " * 30_000_000, timeout=60)
        counted = httpx.post(master.url + "/run", content=endless(), timeout=60)  # type: ignore[arg-type]
        well = httpx.get(master.url + "/ping")

    assert (announced.status_code, counted.status_code, well.status_code) == (413, 413, 200)


@pytest.mark.parametrize("workers", [1, 2])
def test_sigterm_lets_what_is_in_flight_finish_and_leaves_nothing_behind(
    tmp_path: Path, environ: dict[str, str], node: ScriptedExecutor, workers: int
) -> None:
    with UvicornMaster(tmp_path, workers, **environ) as master, ThreadPoolExecutor(1) as pool:
        family = [master.pid, *(child.pid for child in psutil.Process(master.pid).children(recursive=True))]
        call = pool.submit(httpx.post, master.url + BATCH, json=waiting_batch(3), timeout=60)
        until(lambda: len(node.entered) == 3)

        master.terminate()
        until(lambda: "draining" in master.log.read_text())
        node.release()
        answer = call.result()
        master.wait()

    assert [result["success"] for result in answer.json()["results"]] == [True] * 3
    until(lambda: not any(psutil.pid_exists(pid) for pid in family))


def test_what_outlives_the_grace_time_is_answered_503(
    tmp_path: Path, environ: dict[str, str], node: ScriptedExecutor
) -> None:
    short = {**environ, "MASTER_GRACE_TIME": "0.3"}
    with UvicornMaster(tmp_path, 1, **short) as master, ThreadPoolExecutor(1) as pool:
        call = pool.submit(httpx.post, master.url + BATCH, json=waiting_batch(3), timeout=60)
        until(lambda: len(node.entered) == 3)

        master.terminate()
        answer = call.result()
        master.wait()

    assert answer.status_code == 503
    until(lambda: len(node.killed) == 3)
