"""Single requests from many callers, sent in batches by a few senders."""

import asyncio
import gc
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from code_judge.contract import Result, Verdict
from code_judge_client import (
    BadAnswer,
    Batching,
    ClientClosed,
    ConnectionFailed,
    JudgeTimeout,
    RequestProcessor,
    RetryPolicy,
    State,
    Timeout,
)
from tests.support.fake_judge import FakeJudge, Fault, ended, printed
from tests.unit.client.conftest import QUICK, program

AN_HOUR = 3600.0

Start = Callable[..., Awaitable[RequestProcessor]]


class Gate:
    """A behaviour: programs named in ``held`` run until they are released."""

    def __init__(self, *held: str) -> None:
        self._held = {name: asyncio.Event() for name in held}

    async def __call__(self, submission: dict[str, Any]) -> Result:
        if event := self._held.get(submission["input"]):
            await event.wait()
        return printed(submission, submission["input"])

    def release(self, *names: str) -> None:
        for name in names or tuple(self._held):
            self._held[name].set()


@pytest.fixture
async def start(judge: FakeJudge) -> AsyncIterator[Start]:
    """Starts a processor with the given batching; stops it at the end, whatever it still does."""
    started = []

    async def starting(
        retry: RetryPolicy = QUICK, total_s: float | None = None, **batching: Any
    ) -> RequestProcessor:
        processor = RequestProcessor(
            judge.url, batching=Batching(**batching), retry=retry, timeout=Timeout(total_s=total_s)
        )
        started.append(processor)
        await processor.start()
        return processor

    yield starting
    for processor in started:
        await processor.stop(drain=False)


def sizes(judge: FakeJudge) -> list[int]:
    return [len(seen.submissions) for seen in judge.requests]


async def send_all(processor: RequestProcessor, count: int) -> list[str]:
    results = await processor.send_requests([program(str(n)) for n in range(count)])
    return [it.stdout if isinstance(it, Result) else repr(it) for it in results]


# Batches


async def test_requests_that_wait_together_go_together(judge: FakeJudge, start: Start) -> None:
    processor = await start(concurrency=8, batch_size=32)
    assert await send_all(processor, 256) == [str(n) for n in range(256)]
    assert sizes(judge) == [32] * 8
    assert judge.requests[0].path == "/run/long-batch"


async def test_a_lone_request_is_sent_at_once_while_a_sender_is_free(start: Start) -> None:
    processor = await start(concurrency=2, batch_size=32, batch_timeout_s=AN_HOUR)
    async with asyncio.timeout(20):
        assert await send_all(processor, 1) == ["0"]


async def test_a_single_sender_with_nothing_under_way_holds_nothing_back(start: Start) -> None:
    processor = await start(concurrency=1, batch_size=32, batch_timeout_s=AN_HOUR)
    async with asyncio.timeout(20):
        assert await send_all(processor, 1) == ["0"]


async def test_the_last_free_sender_fills_its_batch(judge: FakeJudge, start: Start) -> None:
    """1. A request keeps one of two senders busy. 2. The other meets single requests, one by one.

    Result: they go together, once the batch is full.
    """
    judge.behave = gate = Gate("busy")
    processor = await start(concurrency=2, batch_size=3, batch_timeout_s=AN_HOUR)
    busy = asyncio.create_task(processor.send_request(program("busy")))
    await judge.until(lambda: judge.running == 1)
    calls = []
    for n in range(3):
        calls.append(asyncio.create_task(processor.send_request(program(str(n)))))
        await asyncio.sleep(0.01)
        assert len(judge.requests) == 1 or n == 2
    async with asyncio.timeout(20):
        assert [result.stdout for result in await asyncio.gather(*calls)] == ["0", "1", "2"]
    assert sizes(judge) == [1, 3]
    gate.release()
    await busy


async def test_the_last_free_sender_holds_a_request_no_longer_than_the_batch_timeout(
    judge: FakeJudge, start: Start
) -> None:
    judge.behave = gate = Gate("busy")
    processor = await start(concurrency=2, batch_size=32, batch_timeout_s=0.05)
    busy = asyncio.create_task(processor.send_request(program("busy")))
    await judge.until(lambda: judge.running == 1)
    async with asyncio.timeout(20):
        assert (await processor.send_request(program("x"))).stdout == "x"
    gate.release()
    await busy


async def test_nothing_is_held_back_once_a_sender_is_free_again(judge: FakeJudge, start: Start) -> None:
    judge.behave = gate = Gate("busy")
    processor = await start(concurrency=2, batch_size=32, batch_timeout_s=AN_HOUR)
    busy = asyncio.create_task(processor.send_request(program("busy")))
    await judge.until(lambda: judge.running == 1)
    held = asyncio.create_task(processor.send_request(program("x")))
    await asyncio.sleep(0.05)
    assert len(judge.requests) == 1
    gate.release()
    async with asyncio.timeout(20):
        assert (await held).stdout == "x"
        await busy


async def test_a_full_queue_makes_callers_wait(judge: FakeJudge, start: Start) -> None:
    judge.behave = gate = Gate("0")
    processor = await start(concurrency=1, batch_size=1, queue_size=2)
    calls = [asyncio.create_task(processor.send_request(program(str(n)))) for n in range(10)]
    await judge.until(lambda: judge.running == 1)
    assert processor._queue.qsize() == 2
    gate.release()
    assert [result.stdout for result in await asyncio.gather(*calls)] == [str(n) for n in range(10)]


# Answers


async def test_one_slow_item_among_64_is_answered_last(judge: FakeJudge, start: Start) -> None:
    judge.behave = gate = Gate("0")
    processor = await start(concurrency=1, batch_size=64)
    calls = [asyncio.create_task(processor.send_request(program(str(n)))) for n in range(64)]
    results = await asyncio.gather(*calls[1:])
    assert [result.stdout for result in results] == [str(n) for n in range(1, 64)]
    assert not calls[0].done()
    assert sizes(judge) == [64]
    gate.release()
    assert (await calls[0]).stdout == "0"


async def test_one_item_without_an_answer_fails_alone(judge: FakeJudge, start: Start) -> None:
    judge.faults.append(Fault(forget=frozenset({1})))
    processor = await start(concurrency=1)
    results = await processor.send_requests([program(str(n)) for n in range(4)])
    assert isinstance(results[1], BadAnswer)
    assert [it.stdout for it in results if isinstance(it, Result)] == ["0", "2", "3"]


async def test_a_judge_without_streams_answers_all(judge: FakeJudge, start: Start) -> None:
    judge.legacy = True
    assert await send_all(await start(), 100) == [str(n) for n in range(100)]


async def test_what_is_sent_again_finds_its_own_caller(judge: FakeJudge, start: Start) -> None:
    late = {str(n) for n in range(0, 64, 3)}

    async def late_once(submission: dict[str, Any]) -> Result:
        name = submission["input"]
        if name in late:
            late.discard(name)
            return ended(submission, Verdict.QUEUE_TIMEOUT)
        return printed(submission, name)

    judge.behave = late_once
    processor = await start(concurrency=2, batch_size=32)
    judge.faults.extend([Fault(vanish=True, after=10), Fault(stop=True, after=5), Fault(status=503)])
    assert await send_all(processor, 64) == [str(n) for n in range(64)]


async def test_callers_of_a_judge_that_is_gone_get_an_error_each(judge: FakeJudge, start: Start) -> None:
    await judge.stop()
    processor = await start(RetryPolicy(attempts=2, first_pause_s=0.001))
    results = await processor.send_requests([program("x"), program("y")])
    assert [type(it) for it in results] == [ConnectionFailed, ConnectionFailed]
    assert results[0] is not results[1]
    await judge.start()
    assert await send_all(processor, 2) == ["0", "1"]


async def test_a_fault_of_our_own_fails_its_batch_and_no_other(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    processor = await start(concurrency=1)
    with monkeypatch.context() as broken:
        broken.setattr("code_judge_client._exchange.read_result", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            await processor.send_request(program("x"))
    assert await send_all(processor, 1) == ["0"]


# Callers that leave


async def test_a_timeout_is_the_callers_own(judge: FakeJudge, start: Start) -> None:
    judge.behave = gate = Gate("slow")
    processor = await start(concurrency=1)
    slow = asyncio.create_task(processor.send_request(program("slow"), timeout=0.2))
    patient = asyncio.create_task(processor.send_request(program("slow")))
    with pytest.raises(JudgeTimeout):
        await slow
    assert not patient.done()
    gate.release()
    assert (await patient).stdout == "slow"


async def test_the_judge_is_told_the_longest_time_that_a_caller_waits(judge: FakeJudge, start: Start) -> None:
    processor = await start(concurrency=1, total_s=60)
    await asyncio.gather(
        processor.send_request(program("x"), timeout=30), processor.send_request(program("x"))
    )
    assert 55 < float(judge.requests[0].headers["X-Judge-Deadline-S"]) <= 60


async def test_without_timeouts_the_judge_is_told_none(judge: FakeJudge, start: Start) -> None:
    processor = await start(concurrency=1)
    await asyncio.gather(
        processor.send_request(program("x"), timeout=30), processor.send_request(program("x"))
    )
    assert "X-Judge-Deadline-S" not in judge.requests[0].headers


async def test_a_cancelled_request_that_waits_is_never_sent(judge: FakeJudge, start: Start) -> None:
    judge.behave = gate = Gate("busy")
    processor = await start(concurrency=1, batch_size=1)
    busy = asyncio.create_task(processor.send_request(program("busy")))
    await judge.until(lambda: judge.running == 1)
    call = asyncio.create_task(processor.send_request(program("x")))
    await asyncio.sleep(0)
    call.cancel()
    gate.release()
    await busy
    assert await send_all(processor, 1) == ["0"]
    assert [seen.submissions[0]["input"] for seen in judge.requests] == ["busy", "0"]


async def test_a_batch_that_nobody_waits_for_any_more_is_hung_up(judge: FakeJudge, start: Start) -> None:
    judge.behave = Gate("slow")
    processor = await start(concurrency=1)
    quick = asyncio.create_task(processor.send_request(program("quick")))
    slow = [asyncio.create_task(processor.send_request(program("slow"))) for _ in range(3)]
    await quick
    await judge.until(lambda: judge.running == 3)
    slow[0].cancel()
    slow[1].cancel()
    await asyncio.sleep(0.05)
    assert judge.running == 3, "one still waits"
    slow[2].cancel()
    await judge.until(lambda: judge.requests[0].hung_up and not judge.running)
    assert await send_all(processor, 1) == ["0"]


async def test_what_nobody_waits_for_is_not_sent_again(judge: FakeJudge, start: Start) -> None:
    judge.behave = gate = Gate("a", "b")
    processor = await start(concurrency=1)
    calls = [asyncio.create_task(processor.send_request(program(name))) for name in "ab"]
    await judge.until(lambda: judge.running == 2)
    calls[0].cancel()
    await asyncio.sleep(0)
    await judge.stop()
    gate.release()
    await judge.start()
    assert (await calls[1]).stdout == "b"
    assert [it["input"] for it in judge.requests[-1].submissions] == ["b"]


# Event loops and threads


async def test_callers_in_other_loops_and_threads_are_answered(start: Start) -> None:
    processor = await start(concurrency=2)

    def in_a_loop_of_its_own(n: int) -> list[str]:
        return asyncio.run(send_all(processor, n))

    def in_a_thread(n: int) -> str:
        return str(processor.submit_threadsafe(program(str(n))).result(20).stdout)

    with ThreadPoolExecutor(8) as pool:
        loop = asyncio.get_running_loop()
        loops = [loop.run_in_executor(pool, in_a_loop_of_its_own, 20) for _ in range(4)]
        threads = [loop.run_in_executor(pool, in_a_thread, n) for n in range(20)]
        assert await asyncio.gather(*loops) == [[str(n) for n in range(20)]] * 4
        assert await asyncio.gather(*threads) == [str(n) for n in range(20)]


async def test_a_cancelled_caller_in_another_loop_drops_its_request(judge: FakeJudge, start: Start) -> None:
    judge.behave = Gate("slow")
    processor = await start(concurrency=1)

    async def leave_early() -> None:
        async with asyncio.timeout(0.2):
            await processor.send_request(program("slow"))

    with pytest.raises(TimeoutError):
        await asyncio.to_thread(asyncio.run, leave_early())
    await judge.until(lambda: judge.requests[0].hung_up and not judge.running)


def test_a_processor_ends_with_its_loop_and_says_so() -> None:
    processor = RequestProcessor()
    asyncio.run(processor.start())
    assert processor.state is State.CLOSED
    with pytest.raises(ClientClosed):
        processor.submit_threadsafe(program("x"))
    asyncio.run(processor.stop())


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # its tasks were left behind
def test_a_loop_that_is_closed_under_a_processor_closes_it_too() -> None:
    processor = RequestProcessor()
    loop = asyncio.new_event_loop()
    loop.run_until_complete(processor.start())
    loop.close()
    closed: State = processor.state
    assert closed is State.CLOSED
    with pytest.raises(ClientClosed, match="closed"):
        processor.submit_threadsafe(program("x"))
    asyncio.run(processor.stop())
    del processor
    gc.collect()


# Lifecycle


async def test_requests_are_taken_between_start_and_stop(judge: FakeJudge) -> None:
    processor = RequestProcessor(judge.url)
    with pytest.raises(ClientClosed, match="unopened"):
        await processor.send_request(program("x"))
    await processor.start()
    await processor.start()
    assert await send_all(processor, 1) == ["0"]
    await processor.stop()
    await processor.stop()
    with pytest.raises(ClientClosed, match="closed"):
        await processor.send_request(program("x"))
    with pytest.raises(ClientClosed):
        processor.submit_threadsafe(program("x"))
    with pytest.raises(ClientClosed):
        await processor.start()
    assert processor.state is State.CLOSED


async def test_stop_lets_what_was_taken_be_answered(judge: FakeJudge) -> None:
    judge.behave = gate = Gate("0")
    processor = RequestProcessor(judge.url, batching=Batching(concurrency=1, batch_size=2, queue_size=2))
    await processor.start()
    calls = [asyncio.create_task(processor.send_request(program(str(n)))) for n in range(10)]
    await judge.until(lambda: judge.running == 1)
    stopping = asyncio.create_task(processor.stop())
    gate.release()
    await stopping
    assert [call.result().stdout for call in calls] == [str(n) for n in range(10)]


async def test_stop_without_drain_leaves_nobody_waiting(judge: FakeJudge) -> None:
    judge.behave = Gate("0", "1")
    processor = RequestProcessor(judge.url, batching=Batching(concurrency=1, batch_size=2, queue_size=2))
    await processor.start()
    calls = [asyncio.create_task(processor.send_request(program(str(n)))) for n in range(10)]
    await judge.until(lambda: judge.running == 2)
    await processor.stop(drain=False)
    results = await asyncio.gather(*calls, return_exceptions=True)
    assert {type(it) for it in results} == {ClientClosed}
    await judge.until(lambda: not judge.running)


async def test_a_stop_that_waits_for_answers_can_be_told_not_to(judge: FakeJudge) -> None:
    judge.behave = Gate("slow")
    processor = RequestProcessor(judge.url)
    await processor.start()
    call = asyncio.create_task(processor.send_request(program("slow")))
    await judge.until(lambda: judge.running == 1)
    patient = asyncio.create_task(processor.stop())
    await asyncio.sleep(0)
    assert processor.state is State.CLOSED
    impatient = [asyncio.create_task(processor.stop(drain=False)) for _ in range(2)]
    async with asyncio.timeout(20):
        await asyncio.gather(patient, *impatient)
    with pytest.raises(ClientClosed):
        await call
    await judge.until(lambda: not judge.running)


async def test_stop_reaches_a_processor_in_another_loop(judge: FakeJudge) -> None:
    processor = RequestProcessor(judge.url)
    await processor.start()
    await asyncio.to_thread(asyncio.run, processor.stop())
    assert processor._serving
    assert processor._serving.done()


async def test_an_error_within_the_context_does_not_wait_for_answers(judge: FakeJudge) -> None:
    judge.behave = Gate("slow")
    calls = []

    async def fail_within() -> None:
        async with RequestProcessor(judge.url) as processor:
            calls.append(asyncio.create_task(processor.send_request(program("slow"))))
            await judge.until(lambda: judge.running == 1)
            raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        await asyncio.wait_for(fail_within(), 20)
    with pytest.raises(ClientClosed):
        await calls[0]


async def test_a_processor_leaves_no_task_and_no_thread(judge: FakeJudge) -> None:
    before = threading.active_count()
    async with RequestProcessor(judge.url) as processor:
        await send_all(processor, 50)
    await judge.stop()
    assert asyncio.all_tasks() == {asyncio.current_task()}
    assert threading.active_count() == before


# Statistics


async def test_statistics_count_batches_items_and_time(
    judge: FakeJudge, start: Start, capsys: pytest.CaptureFixture[str]
) -> None:
    processor = await start(RetryPolicy(attempts=1), concurrency=1, batch_size=2)
    await send_all(processor, 3)
    judge.faults.append(Fault(forget=frozenset({0})))
    await send_all(processor, 2)
    await processor.stop()
    stats = processor.get_stats()
    durations = {name: stats.pop(name) for name in list(stats) if name.endswith("_seconds")}
    assert stats == {
        "num_batches_submitted": 3,
        "num_successful_batches": 2,
        "num_failed_batches": 1,
        "total_items_processed_in_batches": 5,
        "num_failed_items": 1,
        "num_dropped_items": 0,
        "actual_batch_sizes": [2, 1, 2],
        "avg_actual_batch_size": 5 / 3,
    }
    assert sorted(durations) == [
        "avg_overall_batch_submission_duration_seconds",
        "avg_successful_batch_submission_duration_seconds",
        "total_batch_submission_duration_seconds",
    ]
    assert all(duration > 0 for duration in durations.values())
    processor.print_stats()
    assert "actual_batch_sizes: [(1, 1), (2, 2)]" in capsys.readouterr().out
    processor.reset_stats()
    assert processor.get_stats()["num_batches_submitted"] == 0
