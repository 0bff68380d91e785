"""Turns full results, as the nodes wrote them, into what a caller asked for.

Results arrive as JSON and leave as JSON, ten thousand at a time: what need not be read is spliced as
bytes, and what must be is read and written by pydantic's own parser.
"""

from collections.abc import Callable
from enum import StrEnum

from pydantic_core import from_json, to_json
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from code_judge.contract import judged, plain
from code_judge.errors import HungUp, JudgeError

from .batch import Batch
from .hangup import until_hangup
from .http_errors import status_of

NDJSON = "application/x-ndjson"

Render = Callable[[bytes], bytes]
"""Makes one answer, a JSON object, out of one full result."""


class Detail(StrEnum):
    """How much of a result the caller wants."""

    PLAIN = "plain"
    """Exactly the fields that existing clients know."""
    FULL = "full"
    """All there is."""


class Route(StrEnum):
    """Which family of routes was called."""

    RUN = "run"
    JUDGE = "judge"


def run_full(result: bytes) -> bytes:
    """The full ``/run`` answer: the result as it is."""
    return result


def judge_full(result: bytes) -> bytes:
    """The full ``/judge`` answer: without the streams, those of single tests too."""
    fields = from_json(result)
    for part in [fields, *(fields["tests"] or ())]:
        del part["stdout"], part["stderr"]
    return to_json(fields)


def run_plain(result: bytes) -> bytes:
    """The ``/run`` answer that existing clients know."""
    return to_json(plain(from_json(result)))


def judge_plain(result: bytes) -> bytes:
    """The ``/judge`` answer that existing clients know."""
    return to_json(judged(from_json(result)))


RENDERS: dict[tuple[Route, Detail], Render] = {
    (Route.RUN, Detail.PLAIN): run_plain,
    (Route.RUN, Detail.FULL): run_full,
    (Route.JUDGE, Detail.PLAIN): judge_plain,
    (Route.JUDGE, Detail.FULL): judge_full,
}


async def collect(batch: Batch, render: Render) -> list[bytes]:
    """All answers in the order of the submissions. Raises what the batch fails with."""
    answers = [b""] * batch.size
    async for burst in batch.bursts():
        for answer in burst:
            answers[answer.index] = render(answer.result)
    return answers


def joined(sub_id: str, answers: list[bytes]) -> bytes:
    """The body of a batch's answer."""
    return b'{"sub_id":' + to_json(sub_id) + b',"results":[' + b",".join(answers) + b"]}"


class ResultStream(Response):
    """A batch's answer as NDJSON: a line per result as soon as it is there, then a closing line."""

    media_type = NDJSON

    def __init__(self, batch: Batch, sub_id: str, render: Render) -> None:
        super().__init__()
        del self.headers["content-length"]  # not known before the end
        self._batch = batch
        self._sub_id = sub_id
        self._render = render

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        count = 0
        async with until_hangup(self._batch, receive):
            try:
                async for burst in self._batch.bursts():
                    count += len(burst)
                    lines = b"".join(_line(answer.index, self._render(answer.result)) for answer in burst)
                    await send({"type": "http.response.body", "body": lines, "more_body": True})
                closing = {"done": True, "sub_id": self._sub_id, "count": count}
            except HungUp:
                return
            except JudgeError as error:
                # Too late for a status of its own: the closing line says what is missing and why.
                closing = {"done": False, "sub_id": self._sub_id, "count": count}
                closing |= {"status": status_of(error), "detail": str(error)}
        await send({"type": "http.response.body", "body": to_json(closing) + b"\n"})


def _line(index: int, answer: bytes) -> bytes:
    return b'{"index":%d,%b\n' % (index, answer[1:])
