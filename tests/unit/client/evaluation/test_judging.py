"""Judging samples, and going on after an interruption."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from code_judge.contract import Result, Verdict
from code_judge_client import AccessDenied, ConnectionFailed, RequestProcessor
from code_judge_client.evaluation import (
    Judged,
    ResultsFile,
    ResultsFileError,
    Sample,
    judge_samples,
    still_to_judge,
)
from tests.support.fake_judge import FakeJudge, Fault, ended, printed
from tests.unit.client.conftest import QUICK, program


def samples(count: int) -> Iterator[Sample]:
    for n in range(count):
        yield Sample(id=f"s{n}", task=f"t{n}", submission=program(str(n)))


@pytest.fixture
async def processor(judge: FakeJudge) -> AsyncIterator[RequestProcessor]:
    async with RequestProcessor(judge.url, retry=QUICK) as started:
        yield started


async def test_every_sample_is_judged_once(processor: RequestProcessor) -> None:
    done: list[Judged] = []
    await judge_samples(samples(200), processor, done.append, in_flight=64)
    assert sorted(it.id for it in done) == sorted(f"s{n}" for n in range(200))
    assert all(it.result.stdout == it.id[1:] for it in done)


async def test_samples_are_read_as_they_are_needed(judge: FakeJudge, processor: RequestProcessor) -> None:
    release = asyncio.Event()

    async def wait(submission: dict[str, Any]) -> Result:
        await release.wait()
        return printed(submission, "")

    judge.behave = wait
    read: list[str] = []

    def counted() -> Iterator[Sample]:
        for sample in samples(1000):
            read.append(sample.id)
            yield sample

    judging = asyncio.create_task(judge_samples(counted(), processor, lambda _: None, in_flight=10))
    await judge.until(lambda: judge.running == 10)
    assert len(read) == 10
    release.set()
    await judging
    assert len(read) == 1000


async def test_a_sample_that_the_judge_fails_at_is_told_as_such(
    judge: FakeJudge, processor: RequestProcessor
) -> None:
    judge.faults.extend([Fault(status=500), Fault(status=422)])
    done: list[Judged] = []
    await judge_samples(samples(3), processor, done.append, in_flight=1)
    assert [it.verdict for it in done] == [Verdict.INTERNAL_ERROR, Verdict.INVALID_INPUT, Verdict.RAN]


async def test_a_judge_that_ignores_tests_has_judged_nothing(
    judge: FakeJudge, processor: RequestProcessor
) -> None:
    """As older ones do: every program that does not crash would pass."""
    judge.legacy = True
    tests = [{"input": "1", "expected_output": "2"}]
    done: list[Judged] = []
    await judge_samples(
        [Sample(id="a", task="a", submission=program("x", tests=tests))], processor, done.append, in_flight=1
    )
    assert [it.verdict for it in done] == [Verdict.INTERNAL_ERROR]


async def test_a_judge_that_stays_away_ends_the_evaluation(
    judge: FakeJudge, processor: RequestProcessor
) -> None:
    await judge.stop()
    with pytest.raises(ConnectionFailed):
        await judge_samples(samples(100), processor, lambda _: None, in_flight=10)


async def test_a_wrong_key_ends_the_evaluation() -> None:
    async with FakeJudge(api_key="right") as judge, RequestProcessor(judge.url) as processor:
        with pytest.raises(AccessDenied):
            await judge_samples(samples(100), processor, lambda _: None, in_flight=10)


# The results file


def judged(sample: Sample, verdict: Verdict = Verdict.RAN) -> Judged:
    result = ended({"sub_id": sample.id}, verdict, stdout="zwei\u2028Zeilen")
    return Judged(id=sample.id, task=sample.task, digest=sample.digest, result=result)


def test_what_was_written_is_read_again(tmp_path: Path) -> None:
    file = ResultsFile(tmp_path / "r.jsonl")
    assert file.read() == {}
    first, second = (judged(sample) for sample in samples(2))
    with file:
        file.append(first)
    with file:
        file.append(second)
    assert file.read() == {"s0": first, "s1": second}


def test_a_line_that_a_crash_cut_off_is_dropped(tmp_path: Path) -> None:
    file = ResultsFile(tmp_path / "r.jsonl")
    first, second = (judged(sample) for sample in samples(2))
    with file:
        file.append(first)
        file.append(second)
    file.path.write_bytes(file.path.read_bytes()[:-20])
    assert file.read() == {"s0": first}
    with file:
        file.append(second)
    assert file.read() == {"s0": first, "s1": second}


def test_only_what_has_no_verdict_is_judged_again() -> None:
    first, second, third, fourth = samples(4)
    changed = judged(third).model_copy(update={"digest": "another"})
    known = {"s0": judged(first), "s1": judged(second, Verdict.INTERNAL_ERROR), "s2": changed}
    assert [it.id for it in still_to_judge([first, second, third, fourth], known)] == ["s1", "s2", "s3"]


def test_a_file_of_something_else_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "precious.jsonl"
    path.write_text('{"my": "data"}\n')
    with pytest.raises(ResultsFileError, match="--output"):
        ResultsFile(path).read()
    assert path.read_text() == '{"my": "data"}\n'


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(ResultsFileError, match="nowhere"), ResultsFile(tmp_path / "nowhere" / "r.jsonl"):
        pass
