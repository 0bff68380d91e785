"""The asynchronous client against a judge that speaks the contract."""

import asyncio
from typing import Any

import pytest

from code_judge.contract import Reason, Result, Verdict
from code_judge_client import (
    AccessDenied,
    BadAnswer,
    ClientClosed,
    ConnectionFailed,
    JudgeBusy,
    JudgeClient,
    JudgeTimeout,
    Limits,
    RequestRefused,
    RetryPolicy,
    ServerFailed,
    State,
    Timeout,
)
from tests.support.fake_judge import FakeJudge, Fault, ended, printed
from tests.unit.client.conftest import QUICK, program

ONCE = RetryPolicy(attempts=1)


async def never(_submission: dict[str, Any]) -> Result:
    await asyncio.Event().wait()
    raise AssertionError


# Calls


async def test_one_program_is_run_ahead_of_batches(judge: FakeJudge, client: JudgeClient) -> None:
    result = await client.run(program("hello"))
    assert (result.verdict, result.stdout) == (Verdict.RAN, "hello")
    assert [(seen.path, seen.query["detail"]) for seen in judge.requests] == [("/run", "full")]


async def test_judge_leaves_the_output_out(judge: FakeJudge, client: JudgeClient) -> None:
    result = await client.judge(program("hello", expected_output="hello"))
    assert (result.verdict, result.stdout) == (Verdict.ACCEPTED, "")
    assert judge.requests[0].path == "/judge"


async def test_a_batchs_results_are_in_the_order_of_its_submissions(
    judge: FakeJudge, client: JudgeClient
) -> None:
    async def later_first(submission: dict[str, Any]) -> Result:
        await asyncio.sleep(0.05 - 0.01 * int(submission["input"]))
        return printed(submission, submission["input"])

    judge.behave = later_first
    results = await client.run_batch([program(str(n)) for n in range(5)])
    assert [result.stdout for result in results] == ["0", "1", "2", "3", "4"]


@pytest.mark.parametrize(
    ("judged", "long", "path"),
    [
        (False, True, "/run/long-batch"),
        (False, False, "/run/batch"),
        (True, True, "/judge/long-batch"),
        (True, False, "/judge/batch"),
    ],
)
async def test_a_batch_goes_to_the_route_that_was_asked_for(
    judge: FakeJudge, client: JudgeClient, judged: bool, long: bool, path: str
) -> None:
    await client.run_batch([program("x")], judge=judged, long=long)
    assert judge.requests[0].path == path


async def test_a_slow_item_holds_no_other_back(judge: FakeJudge, client: JudgeClient) -> None:
    release = asyncio.Event()

    async def first_waits(submission: dict[str, Any]) -> Result:
        if submission["input"] == "0":
            await release.wait()
        return printed(submission, submission["input"])

    judge.behave = first_waits
    seen = []
    async for item in client.stream([program(str(n)) for n in range(64)]):
        seen.append(item.index)
        if len(seen) == 63:
            assert 0 not in seen
            release.set()
    assert seen[-1] == 0
    assert sorted(seen) == list(range(64))


async def test_an_empty_batch_needs_no_request(judge: FakeJudge, client: JudgeClient) -> None:
    assert await client.run_batch([]) == []
    assert judge.requests == []


async def test_a_large_batch_is_sent_as_several(judge: FakeJudge) -> None:
    async with JudgeClient(judge.url, limits=Limits(request_items=10, request_mb=0.001)) as client:
        short = [program(str(n)) for n in range(25)]
        assert [it.stdout for it in await client.run_batch(short)] == [str(n) for n in range(25)]
        assert sorted(len(seen.submissions) for seen in judge.requests) == [5, 10, 10]
        judge.requests.clear()
        long = [program(letter * 600) for letter in "abc"]
        assert [it.stdout[0] for it in await client.run_batch(long)] == ["a", "b", "c"]
        assert [len(seen.submissions) for seen in judge.requests] == [1, 1, 1]


async def test_status_and_cluster_are_told_as_models(client: JudgeClient) -> None:
    status = await client.status()
    assert (status.queue, status.num_workers) == (3, 8)
    cluster = await client.cluster()
    assert [node.name for node in cluster.nodes] == ["n1"]
    assert cluster.queued["long_batch"] == 3


async def test_fields_that_say_nothing_are_not_sent(judge: FakeJudge, client: JudgeClient) -> None:
    """Older judges know only some of them."""
    await client.run(program("x"))
    assert set(judge.requests[0].submissions[0]) == {"type", "solution", "input"}


async def test_text_that_is_not_unicode_reaches_the_judge_as_it_is(
    judge: FakeJudge, client: JudgeClient
) -> None:
    """It is the judge that refuses it, and it alone."""
    await client.run_batch([program("fine"), program("half \ud83d")])
    assert [it["input"] for it in judge.requests[0].submissions] == ["fine", "half \ud83d"]


# Older judges


@pytest.mark.parametrize(
    ("verdict", "seen"),
    [
        (Verdict.ACCEPTED, Verdict.ACCEPTED),
        (Verdict.WRONG_ANSWER, Verdict.WRONG_ANSWER),
        (Verdict.TIME_LIMIT, Verdict.TIME_LIMIT),
        (Verdict.INTERNAL_ERROR, Verdict.INTERNAL_ERROR),
        (Verdict.INVALID_INPUT, Verdict.INVALID_INPUT),
        (Verdict.COMPILE_ERROR, Verdict.RUNTIME_ERROR),
        (Verdict.MEMORY_LIMIT, Verdict.RUNTIME_ERROR),
    ],
)
async def test_a_plain_answers_verdict_is_derived(verdict: Verdict, seen: Verdict) -> None:
    """A plain answer does not tell the last two from a crash."""

    async def as_told(submission: dict[str, Any]) -> Result:
        return ended(submission, verdict, stdout="out", cost=0.25)

    async with FakeJudge(as_told, legacy=True) as judge, JudgeClient(judge.url, retry=ONCE) as client:
        [in_batch] = await client.run_batch([program("x", expected_output="y")])
        alone = await client.run(program("x", expected_output="y"))
        assert in_batch == alone
        assert (alone.verdict, alone.stdout, alone.cost) == (seen, "out", 0.25)
        assert (alone.success, alone.run_success) == (verdict.success, verdict.run_success)


async def test_without_an_expectation_a_plain_success_is_a_run(judge: FakeJudge, client: JudgeClient) -> None:
    judge.legacy = True
    assert (await client.run(program("x"))).verdict is Verdict.RAN


async def test_a_judge_without_streams_answers_all_at_once(judge: FakeJudge, client: JudgeClient) -> None:
    judge.legacy = True
    results = await client.run_batch([program(str(n)) for n in range(5)])
    assert [result.stdout for result in results] == ["0", "1", "2", "3", "4"]


# Failures


async def test_what_a_broken_connection_left_out_is_sent_again_and_nothing_else(
    judge: FakeJudge, client: JudgeClient
) -> None:
    judge.faults.append(Fault(vanish=True, after=3))
    results = await client.run_batch([program(str(n)) for n in range(10)])
    assert [result.stdout for result in results] == [str(n) for n in range(10)]
    assert [len(seen.submissions) for seen in judge.requests] == [10, 7]


async def test_a_judge_that_stops_in_the_middle_is_asked_again(judge: FakeJudge, client: JudgeClient) -> None:
    judge.faults.append(Fault(stop=True, after=2))
    results = await client.run_batch([program(str(n)) for n in range(5)])
    assert [result.stdout for result in results] == [str(n) for n in range(5)]
    assert [len(seen.submissions) for seen in judge.requests] == [5, 3]


async def test_a_judge_that_restarts_is_waited_for(judge: FakeJudge) -> None:
    patient = RetryPolicy(attempts=100, first_pause_s=0.02, longest_pause_s=0.02)
    async with JudgeClient(judge.url, retry=patient) as client:
        judge.behave = never
        call = asyncio.create_task(client.run_batch([program(str(n)) for n in range(5)]))
        await judge.until(lambda: judge.running == 5)
        await judge.stop()
        judge.behave = FakeJudge().behave
        await judge.start()
        assert [result.stdout for result in await call] == [str(n) for n in range(5)]


@pytest.mark.parametrize("status", [429, 503])
async def test_a_busy_judge_is_asked_again_when_it_said(judge: FakeJudge, status: int) -> None:
    judge.faults.append(Fault(status=status, headers={"Retry-After": "1"}))
    loop = asyncio.get_running_loop()
    async with JudgeClient(judge.url, retry=QUICK) as client:
        started = loop.time()
        assert (await client.run(program("x"))).stdout == "x"
        assert loop.time() - started >= 1
    assert len(judge.requests) == 2


async def test_a_busy_judge_is_given_up_after_the_last_attempt(judge: FakeJudge) -> None:
    judge.faults.extend([Fault(status=503)] * 10)
    async with JudgeClient(judge.url, retry=RetryPolicy(attempts=3, first_pause_s=0.001)) as client:
        with pytest.raises(JudgeBusy, match="503"):
            await client.run(program("x"))
    assert len(judge.requests) == 3


async def test_a_pause_uses_up_no_attempt(judge: FakeJudge) -> None:
    judge.faults.extend([Fault(status=429, headers={"X-Judge-Paused": "true"})] * 10)
    async with JudgeClient(judge.url, retry=RetryPolicy(attempts=2, first_pause_s=0.001)) as client:
        assert (await client.run(program("x"))).stdout == "x"


async def test_queue_timeouts_are_sent_again_alone(judge: FakeJudge, client: JudgeClient) -> None:
    late = {"3": 2, "7": 1}

    async def sometimes_late(submission: dict[str, Any]) -> Result:
        name = submission["input"]
        if late.get(name):
            late[name] -= 1
            return ended(submission, Verdict.QUEUE_TIMEOUT)
        return printed(submission, name)

    judge.behave = sometimes_late
    results = await client.run_batch([program(str(n)) for n in range(10)])
    assert [result.stdout for result in results] == [str(n) for n in range(10)]
    sent = [[it["input"] for it in seen.submissions] for seen in judge.requests]
    assert sent[1:] == [["3", "7"], ["3"]]


async def test_what_is_late_every_time_is_answered_queue_timeout(judge: FakeJudge) -> None:
    async def always_late(submission: dict[str, Any]) -> Result:
        return ended(submission, Verdict.QUEUE_TIMEOUT)

    judge.behave = always_late
    async with JudgeClient(judge.url, retry=RetryPolicy(attempts=3, first_pause_s=0.001)) as client:
        [result] = await client.run_batch([program("x")])
    assert result.reason is Reason.QUEUE_TIMEOUT
    assert len(judge.requests) == 3


async def test_an_internal_error_is_an_answer_and_not_sent_again(
    judge: FakeJudge, client: JudgeClient
) -> None:
    async def broken(submission: dict[str, Any]) -> Result:
        return ended(submission, Verdict.INTERNAL_ERROR)

    judge.behave = broken
    assert (await client.run(program("x"))).verdict is Verdict.INTERNAL_ERROR
    assert len(judge.requests) == 1


async def test_no_pause_follows_a_success(judge: FakeJudge) -> None:
    an_hour = RetryPolicy(first_pause_s=3600, longest_pause_s=3600)
    async with asyncio.timeout(20), JudgeClient(judge.url, retry=an_hour) as client:
        await client.run_batch([program("x")])


async def test_one_submission_that_the_judge_refuses_costs_no_other_its_answer(
    judge: FakeJudge, client: JudgeClient
) -> None:
    """Older judges answer 422 to a whole batch for one bad item."""
    refused = Fault(status=422)
    # The batch of 8, then its first 4, and of them the first 2; these by themselves: one is fine.
    judge.faults.extend([refused, refused, refused, Fault(), refused])
    batch = [program(str(n)) for n in range(8)]
    with pytest.raises(RequestRefused) as caught:
        await client.run_batch(batch)
    assert sorted(caught.value.answered) == [0, 2, 3, 4, 5, 6, 7]
    assert caught.value.status == 422


async def test_a_wrong_key_is_told_at_once() -> None:
    async with FakeJudge(api_key="right") as judge:
        async with JudgeClient(judge.url, api_key="wrong") as client:
            with pytest.raises(AccessDenied, match="api_key"):
                await client.run_batch([program("x"), program("y")])
            assert len(judge.requests) == 1
        async with JudgeClient(judge.url, api_key="right") as client:
            assert (await client.run(program("x"))).stdout == "x"


@pytest.mark.parametrize("body", [b"<html>", b"[]", b'{"results": 3}', b'{"results": [{"success": 3}]}'])
async def test_what_is_not_a_judge_is_called_so(judge: FakeJudge, client: JudgeClient, body: bytes) -> None:
    judge.faults.append(Fault(body=body))
    with pytest.raises(BadAnswer):
        await client.run_batch([program("x")])


@pytest.mark.parametrize("legacy", [True, False])
async def test_submissions_that_the_judge_forgot_are_told(
    judge: FakeJudge, client: JudgeClient, legacy: bool
) -> None:
    judge.legacy = legacy
    judge.faults.append(Fault(forget=frozenset({2})))
    with pytest.raises(BadAnswer, match="1 of 3") as caught:
        await client.run_batch([program(str(n)) for n in range(3)])
    assert {index: it.stdout for index, it in caught.value.answered.items()} == {0: "0", 1: "1"}


async def test_a_judge_that_breaks_is_not_asked_again(judge: FakeJudge, client: JudgeClient) -> None:
    judge.faults.append(Fault(status=500))
    with pytest.raises(ServerFailed):
        await client.run(program("x"))
    assert len(judge.requests) == 1


async def test_a_judge_that_is_not_there_is_named(judge: FakeJudge) -> None:
    await judge.stop()
    async with JudgeClient(judge.url, retry=RetryPolicy(attempts=2, first_pause_s=0.001)) as client:
        with pytest.raises(ConnectionFailed, match=judge.url):
            await client.run(program("x"))
        with pytest.raises(ConnectionFailed, match=judge.url):
            await client.status()


# Time-outs and hang-ups


async def test_the_judge_is_told_how_long_the_caller_waits(judge: FakeJudge, client: JudgeClient) -> None:
    await client.run(program("x"), timeout_s=30)
    assert 25 < float(judge.requests[0].headers["X-Judge-Deadline-S"]) <= 30
    await client.run(program("x"))
    assert "X-Judge-Deadline-S" not in judge.requests[1].headers


async def test_after_its_timeout_a_call_fails_and_its_work_is_dropped(
    judge: FakeJudge, client: JudgeClient
) -> None:
    judge.behave = never
    with pytest.raises(JudgeTimeout):
        await client.run_batch([program("x"), program("y")], timeout_s=0.3)
    await judge.until(lambda: judge.requests[0].hung_up and not judge.running)


async def test_a_clients_own_timeout_holds_for_its_calls(judge: FakeJudge) -> None:
    judge.behave = never
    async with JudgeClient(judge.url, timeout=Timeout(total_s=0.3)) as client:
        with pytest.raises(TimeoutError):
            await client.run(program("x"))


async def test_a_pause_past_the_timeout_is_not_begun(judge: FakeJudge) -> None:
    """What is known then is worth more to the caller than a timeout."""
    judge.faults.append(Fault(status=503, headers={"Retry-After": "3600"}))
    async with asyncio.timeout(20), JudgeClient(judge.url) as client:
        with pytest.raises(JudgeBusy):
            await client.run(program("x"), timeout_s=60)


async def test_a_cancelled_call_hangs_up(judge: FakeJudge, client: JudgeClient) -> None:
    judge.behave = never
    call = asyncio.create_task(client.run(program("x")))
    await judge.until(lambda: judge.running == 1)
    call.cancel()
    await judge.until(lambda: judge.requests[0].hung_up and not judge.running)


async def test_leaving_a_stream_early_hangs_up(judge: FakeJudge, client: JudgeClient) -> None:
    async def only_first(submission: dict[str, Any]) -> Result:
        return printed(submission, "0") if submission["input"] == "0" else await never(submission)

    judge.behave = only_first
    stream = client.stream([program(str(n)) for n in range(3)])
    assert (await anext(stream)).index == 0
    await stream.aclose()
    await judge.until(lambda: judge.requests[0].hung_up and not judge.running)


# Lifecycle


async def test_a_client_opens_at_its_first_call_and_stays_closed(judge: FakeJudge) -> None:
    client = JudgeClient(judge.url)
    states = [client.state]
    await client.run(program("x"))
    states.append(client.state)
    await client.close()
    await client.close()
    states.append(client.state)
    assert states == [State.UNOPENED, State.OPEN, State.CLOSED]
    with pytest.raises(ClientClosed):
        await client.run(program("x"))
    with pytest.raises(ClientClosed):
        await client.open()


async def test_closing_fails_the_calls_under_way(judge: FakeJudge) -> None:
    judge.behave = never
    client = JudgeClient(judge.url)
    call = asyncio.create_task(client.run(program("x")))
    await judge.until(lambda: judge.running == 1)
    await client.close()
    with pytest.raises(ClientClosed):
        await call


async def test_a_client_says_so_when_it_is_used_in_another_loop(client: JudgeClient) -> None:
    await client.run(program("x"))
    with pytest.raises(ClientClosed, match="another event loop"):
        await asyncio.to_thread(asyncio.run, client.run(program("x")))


@pytest.mark.parametrize("url", ["localhost:8088", "ftp://judge", "", "http://"])
async def test_a_url_that_cannot_be_one_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="http://HOST:PORT"):
        await JudgeClient(url).run(program("x"))


async def test_connections_are_used_again_but_not_for_long(judge: FakeJudge, client: JudgeClient) -> None:
    for _ in range(3):
        await client.run_batch([program("x")])
    assert len({seen.peer for seen in judge.requests}) == 1
    assert Limits().keep_alive_s < 5, "uvicorn closes idle connections after 5 s"
