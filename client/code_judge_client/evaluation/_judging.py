"""Sends samples to a judge, many at once, and hands over what comes back."""

import asyncio
from collections.abc import Callable, Iterable

from code_judge.contract import Result, Submission, Verdict
from code_judge_client._errors import AccessDenied, JudgeClientError, JudgeUnavailable, RequestRefused
from code_judge_client._processor import RequestProcessor

from ._judged import Judged
from ._sample import Sample


async def judge_samples(
    samples: Iterable[Sample],
    processor: RequestProcessor,
    on_judged: Callable[[Judged], None],
    *,
    in_flight: int,
) -> None:
    """Judge all samples, at most ``in_flight`` of them at once; the iterable is read as they are needed.

    A sample that the judge refuses or fails at is handed over as such, and the others go on. Raises
    JudgeUnavailable where the judge stays away, and AccessDenied: no other sample would fare better.
    """
    waiting = iter(samples)

    async def work() -> None:
        for sample in waiting:
            on_judged(await _judged(sample, processor))

    workers = [asyncio.create_task(work()) for _ in range(in_flight)]
    try:
        await asyncio.gather(*workers)
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)


async def _judged(sample: Sample, processor: RequestProcessor) -> Judged:
    try:
        result = await processor.send_request(sample.submission)
    except (AccessDenied, JudgeUnavailable):
        raise
    except RequestRefused as error:
        result = Result.of(sample.id, Verdict.INVALID_INPUT, stderr=str(error))
    except JudgeClientError as error:
        result = Result.of(sample.id, Verdict.INTERNAL_ERROR, stderr=str(error))
    if _left_tests_out(sample.submission, result):
        result = Result.of(sample.id, Verdict.INTERNAL_ERROR, stderr="this judge does not run such tests")
    return Judged(
        id=sample.id,
        task=sample.task,
        digest=sample.digest,
        expected_right=sample.expected_right,
        result=result,
    )


def _left_tests_out(submission: Submission, result: Result) -> bool:
    """Older judges run a program and ignore its tests, which would pass everything that does not crash."""
    wants_something = any(it.call or it.expected_output is not None for it in submission.tests or ())
    return wants_something and result.verdict is Verdict.RAN
