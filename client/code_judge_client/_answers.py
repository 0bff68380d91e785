"""Reads what the judge answers: its results, plain or full, and its refusals."""

import json
from collections.abc import AsyncIterator
from typing import Any

from pydantic import ValidationError
from pydantic_core import from_json

from code_judge.contract import Reason, Result, Submission, Verdict

from ._errors import (
    AccessDenied,
    BadAnswer,
    ConnectionFailed,
    JudgeBusy,
    JudgeClientError,
    RequestRefused,
    ServerFailed,
)
from ._transport import Answer, read_all, read_lines

NDJSON = "application/x-ndjson"

_VERDICTS = {
    Reason.WORKER_TIMEOUT: Verdict.TIME_LIMIT,
    Reason.QUEUE_TIMEOUT: Verdict.QUEUE_TIMEOUT,
    Reason.INTERNAL_ERROR: Verdict.INTERNAL_ERROR,
    Reason.INVALID_INPUT: Verdict.INVALID_INPUT,
}


def read_json(text: bytes) -> Any:
    """Raises BadAnswer where it is not JSON."""
    try:
        return from_json(text)
    except ValueError:
        pass
    try:
        # The standard parser is slower, but takes lone surrogates, which some older judges send: one of
        # them must spoil its own result only.
        return json.loads(text)
    except ValueError:
        raise BadAnswer(f"the judge answered with something that is not JSON: {text[:200]!r}") from None


def read_result(fields: Any, submission: Submission) -> Result:
    """A result out of a full answer, or of a plain one from a judge that knows no other.

    Raises BadAnswer where it is neither.
    """
    try:
        if isinstance(fields, dict) and "verdict" not in fields:
            return _from_plain(fields, submission)
        return Result.model_validate(fields)
    except (ValidationError, ValueError, KeyError) as error:
        raise BadAnswer(f"not a result of a judge: {str(fields)[:200]} ({error})") from None


def _from_plain(fields: dict[str, Any], submission: Submission) -> Result:
    return Result.of(
        str(fields.get("sub_id") or submission.sub_id or ""),
        _derived_verdict(fields, submission),
        cost=fields.get("cost") or 0.0,
        wall_time=fields.get("cost") or 0.0,
        stdout=fields.get("stdout") or "",
        stderr=fields.get("stderr") or "",
    )


def _derived_verdict(fields: dict[str, Any], submission: Submission) -> Verdict:
    """As much as a plain answer tells: a crash, a compiler's error and a memory limit look alike in it."""
    reason = Reason(fields.get("reason") or "")
    if reason is not Reason.UNSPECIFIED:
        return _VERDICTS[reason]
    if not fields["run_success"]:
        return Verdict.RUNTIME_ERROR
    if not fields["success"]:
        return Verdict.WRONG_ANSWER
    return Verdict.RAN if submission.expected_output is None else Verdict.ACCEPTED


async def read_batch(answer: Answer) -> AsyncIterator[tuple[int, Any]]:
    """Each result's place in the batch and its fields, as they come; all at once from a judge that does
    not stream.

    Raises BadAnswer, ConnectionFailed where it broke off, JudgeBusy where the judge had to stop.
    """
    if answer.headers.get("content-type", "").startswith(NDJSON):
        async for index, fields in _read_stream(answer):
            yield index, fields
    else:
        document = read_json(await read_all(answer))
        if not isinstance(document, dict) or not isinstance(document.get("results"), list):
            raise BadAnswer(f"not a batch's answer: {str(document)[:200]}")
        for index, fields in enumerate(document["results"]):
            yield index, fields


async def _read_stream(answer: Answer) -> AsyncIterator[tuple[int, Any]]:
    closing = None
    async for line in read_lines(answer):
        fields = read_json(line)
        if not isinstance(fields, dict):
            raise BadAnswer(f"not a line of a batch's answer: {line[:200]!r}")
        if "index" in fields:
            yield fields.pop("index"), fields
        elif "done" in fields:
            closing = fields
    if closing is None:
        raise ConnectionFailed("the judge's answer broke off in the middle")
    if not closing["done"]:
        raise JudgeBusy(f"the judge stopped in the middle of a batch: {closing.get('detail')}")


async def refusal(answer: Answer) -> JudgeClientError:
    """The error that an answer other than 200 stands for. Raises ConnectionFailed."""
    status = answer.status
    told = f"the judge answered {status}: {_detail(await read_all(answer))}"
    if status in (429, 503):
        paused = answer.headers.get("x-judge-paused") == "true"
        return JudgeBusy(told, _seconds(answer.headers.get("retry-after")), paused)
    if status in (502, 504):  # from a proxy that cannot reach the judge behind it
        return ConnectionFailed(told)
    if status in (401, 403):
        return AccessDenied(f"{told}; give the client this judge's api_key", status)
    if status >= 500:
        return ServerFailed(told)
    return RequestRefused(told, status)


def _detail(body: bytes) -> str:
    try:
        document = from_json(body)
    except ValueError:
        return body[:500].decode(errors="replace")
    return str(document["detail"] if isinstance(document, dict) and "detail" in document else document)[:500]


def _seconds(retry_after: str | None) -> float | None:
    """``Retry-After`` in seconds; its other form, a date, depends on two clocks and is left aside."""
    return float(retry_after) if retry_after and retry_after.isascii() and retry_after.isdecimal() else None
