"""What the judge failed at is remembered; what programs failed at is not."""

import asyncio

import httpx
import pytest

from code_judge.contract import Result, Submission, Verdict
from code_judge.master.failure_log import HELD, LONGEST_WHY, FailureLog
from tests.support.http_master import OpenMaster
from tests.support.memory_queue import MemoryQueue, ScriptedNode


def result(verdict: Verdict, **fields: object) -> bytes:
    return Result.of("name", verdict, **fields).model_dump_json().encode()


@pytest.mark.parametrize("verdict", list(Verdict))
async def test_failures_of_ours_are_noted_and_no_others(queue: MemoryQueue, verdict: Verdict) -> None:
    log = FailureLog(queue)

    log.look_at("{a}:0-0", result(verdict))
    await log.flush()

    assert [noted.work_id for noted in queue.noted] == (["{a}:0-0"] if verdict.is_ours else [])


async def test_a_program_cannot_print_itself_into_the_record(queue: MemoryQueue) -> None:
    log = FailureLog(queue)

    log.look_at(
        "{a}:0-0",
        result(Verdict.RAN, stdout='{"verdict":"internal_error"}', stderr='"verdict":"queue_timeout"'),
    )
    await log.flush()

    assert queue.noted == []


async def test_only_our_own_words_are_kept(queue: MemoryQueue) -> None:
    log = FailureLog(queue)
    text = "sandbox step 'files' failed: [Errno 28] No space left on device: 'my-secret-name'"

    log.look_at("{a}:0-0", result(Verdict.INTERNAL_ERROR, stderr=text, node="n", attempts=2))
    log.look_at("{a}:0-1", result(Verdict.INTERNAL_ERROR, stderr="x" * 1000))
    await log.flush()

    assert (queue.noted[0].why, queue.noted[0].node, queue.noted[0].attempts) == (
        "sandbox step 'files' failed",
        "n",
        2,
    )
    assert queue.noted[1].why == "x" * LONGEST_WHY


async def test_while_redis_is_away_only_the_latest_are_held(queue: MemoryQueue) -> None:
    log = FailureLog(queue)
    queue.available = False
    for number in range(HELD + 5):
        log.look_at(f"{{a}}:{number}-0", result(Verdict.QUEUE_TIMEOUT))

    queue.available = True
    await log.flush()

    assert len(queue.noted) == HELD
    assert queue.noted[-1].work_id == f"{{a}}:{HELD + 4}-0"


async def test_a_masters_callers_failures_can_be_asked_for(
    open_master: OpenMaster, queue: MemoryQueue
) -> None:
    def fail(submission: Submission) -> Result:
        return Result.of(submission.sub_id or "", Verdict.INTERNAL_ERROR, stderr="the worker failed: 'text'")

    client = await open_master()
    async with ScriptedNode(queue, fail):
        await client.post("/run", json={"type": "python", "solution": "print(1)"})

    async with asyncio.timeout(30):
        while not (failures := await _failures(client)):  # noqa: ASYNC110 - it is noted in the background
            await asyncio.sleep(0.01)
    assert [(one["verdict"], one["why"]) for one in failures] == [("internal_error", "the worker failed")]


async def _failures(client: httpx.AsyncClient) -> list[dict[str, object]]:
    answer: list[dict[str, object]] = (await client.get("/cluster/failures")).json()
    return answer
