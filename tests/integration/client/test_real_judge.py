"""The clients against a whole judge."""

import asyncio
import os
import socket
import sys
from typing import Any

import psutil
import pytest

from code_judge.contract import Verdict
from code_judge_cli.local_judge import LocalJudge
from code_judge_client import Batching, JudgeClient, RequestProcessor, Submission, SyncJudgeClient
from code_judge_client.verl import PythonTool

pytestmark = pytest.mark.needs_redis

SETTINGS = {
    "MAX_WORKERS": "2",
    "LOG_LEVEL": "ERROR",
    "PYTHON_EXECUTOR_PATH": sys.executable,
    "WORKER_GRACE_TIME": "1",
    "WARM_TEMPLATES": ";",
}
"""Quick to start and to stop."""


def echo(text: str) -> Submission:
    return Submission(type="python", solution="print(input())", input=text)


def tool_for(port: int, **config: Any) -> PythonTool:
    return PythonTool(
        {
            "host_addr": "127.0.0.1",
            "host_port": port,
            "request_processor_batch_size": 32,
            "request_processor_concurrency": 8,
            "failed_submissions_path": None,
            **config,
        }
    )


async def execute(tool: PythonTool, code: str, text: str) -> str:
    instance_id, _ = await tool.create()
    response, _, metrics = await tool.execute(instance_id, {"code": code, "input": text})
    await tool.release(instance_id)
    assert metrics == {}
    assert response.text
    return response.text


async def test_all_calls_of_the_client_work(real_judge: LocalJudge) -> None:
    async with JudgeClient(real_judge.url) as client:
        assert (await client.run(echo("a"))).stdout == "a\n"
        expecting = echo("a").model_copy(update={"expected_output": "a"})
        judged = await client.judge(expecting)
        assert (judged.verdict, judged.stdout) == (Verdict.ACCEPTED, "")
        results = await client.run_batch([echo(str(n)) for n in range(20)], long=False)
        assert [it.stdout for it in results] == [f"{n}\n" for n in range(20)]
        assert (await client.status()).num_workers == 2
        assert "python" in (await client.cluster()).languages


def test_the_synchronous_client_works(real_judge: LocalJudge) -> None:
    with SyncJudgeClient(real_judge.url) as client:
        streamed = {it.index: it.result.stdout for it in client.stream([echo("a"), echo("b")])}
    assert streamed == {0: "a\n", 1: "b\n"}


async def test_a_bad_item_fails_alone(real_judge: LocalJudge) -> None:
    batch = [echo("a"), Submission(type="cobol", solution=""), echo("half \ud83d"), echo("b")]
    async with JudgeClient(real_judge.url) as client:
        results = await client.run_batch(batch)
    bad = Verdict.INVALID_INPUT
    assert [it.verdict for it in results] == [Verdict.RAN, bad, bad, Verdict.RAN]


async def test_one_slow_program_among_64_keeps_none_of_the_others_waiting(real_judge: LocalJudge) -> None:
    sleeper = Submission(type="python", solution="import time; time.sleep(1000)", time_limit=10)
    one_batch = Batching(concurrency=1, batch_size=64)
    async with RequestProcessor(real_judge.url, batching=one_batch) as processor:
        slow = asyncio.create_task(processor.send_request(sleeper))
        others = [asyncio.create_task(processor.send_request(echo(str(n)))) for n in range(63)]
        assert [it.stdout for it in await asyncio.gather(*others)] == [f"{n}\n" for n in range(63)]
        assert not slow.done()
        assert processor.get_stats()["actual_batch_sizes"] == [64]
        slow.cancel()  # with the last one that is waited for, the judge drops its program, too
        async with JudgeClient(real_judge.url) as client:
            await _until(client, busy=False)


async def test_a_caller_that_leaves_has_its_program_killed(real_judge: LocalJudge) -> None:
    endless = Submission(type="python", solution="while True: pass", time_limit=50)
    async with JudgeClient(real_judge.url) as client:
        call = asyncio.create_task(client.run_batch([endless]))
        await _until(client, busy=True)
        call.cancel()
        await _until(client, busy=False)


async def _until(client: JudgeClient, *, busy: bool) -> None:
    async with asyncio.timeout(30):
        while ((await client.cluster()).in_flight > 0) is not busy:  # noqa: ASYNC110 - over HTTP
            await asyncio.sleep(0.05)


@pytest.mark.timeout(600)  # seconds where the machine is idle
async def test_2000_tool_calls_at_once_are_all_right(real_judge: LocalJudge) -> None:
    tool = tool_for(int(real_judge.url.rpartition(":")[2]))
    calls = (execute(tool, "print(input())", str(n)) for n in range(2000))
    texts = await asyncio.gather(*calls)
    assert [text.split("\n")[1] for text in texts] == [f"stdout: {n}" for n in range(2000)]


@pytest.mark.timeout(300)  # two starts of a whole judge
async def test_a_judge_that_is_killed_and_started_again_leaves_no_call_unanswered() -> None:
    """1. 200 calls are under way. 2. The master is killed. 3. A new judge starts at the same address.

    Result: every call has its own right answer.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    first = LocalJudge(SETTINGS, port=port)
    await asyncio.to_thread(first.start)
    try:
        tool = tool_for(port)
        program = "import time; time.sleep(0.05); print(input())"
        calls = [asyncio.create_task(execute(tool, program, str(n))) for n in range(200)]
        await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
        _master_at(port).kill()
    finally:
        await asyncio.to_thread(first.stop)
    second = LocalJudge(SETTINGS, port=port)
    await asyncio.to_thread(second.start)
    try:
        texts = await asyncio.gather(*calls)
    finally:
        await asyncio.to_thread(second.stop)
    wrong = [text for n, text in enumerate(texts) if f"\nstdout: {n}\n" not in text]
    assert wrong == []


def _master_at(port: int) -> psutil.Process:
    """The process of ours that serves there."""
    processes = psutil.process_iter(["ppid", "cmdline"])  # those that are just ending have no command line
    ours = [it for it in processes if it.info["ppid"] == os.getpid()]
    [found] = [it for it in ours if {"--port", str(port)} <= set(it.info["cmdline"] or ())]
    return found
