"""The routes that take submissions: ``/run`` and ``/judge``, each for one, a batch and a long batch."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Query, Request, Response

from code_judge.queue import WorkClass

from .answer import NDJSON, RENDERS, Detail, ResultStream, Route, collect, joined
from .batch import Origin
from .body import read_body
from .dependencies import TheMaster
from .hangup import until_hangup
from .intake import Document, parse
from .master import Master

JSON = "application/json"

router = APIRouter()


@dataclass(frozen=True, slots=True)
class Call:
    """One request for runs, as far as its headers and its query tell."""

    request: Request
    master: Master
    detail: Detail
    deadline_s: float | None
    """Seconds that the caller will wait; None for as long as it takes."""
    origin: Origin

    @property
    def wants_stream(self) -> bool:
        """Whether results are to be sent as they come."""
        return NDJSON in self.request.headers.get("accept", "")

    async def document(self) -> Document:
        """Its body. Raises TooLarge, HungUp, InvalidRequest."""
        return parse(await read_body(self.request, self.master.settings.max_body_mb))


async def _call_of(
    request: Request,
    master: TheMaster,
    detail: Annotated[Detail, Query()] = Detail.PLAIN,
    deadline_s: Annotated[float | None, Header(alias="X-Judge-Deadline-S", gt=0, allow_inf_nan=False)] = None,
    request_id: Annotated[str | None, Header(alias="X-Request-ID", max_length=200)] = None,
    traceparent: Annotated[str, Header(max_length=200)] = "",
) -> Call:
    return Call(request, master, detail, deadline_s, Origin(request_id, traceparent))


AnyCall = Annotated[Call, Depends(_call_of)]


@router.post("/run")
async def run(call: AnyCall) -> Response:
    return await _answer_one(call, Route.RUN)


@router.post("/judge")
async def judge(call: AnyCall) -> Response:
    return await _answer_one(call, Route.JUDGE)


@router.post("/run/batch")
async def run_batch(call: AnyCall) -> Response:
    return await _answer_batch(call, Route.RUN, WorkClass.BATCH)


@router.post("/judge/batch")
async def judge_batch(call: AnyCall) -> Response:
    return await _answer_batch(call, Route.JUDGE, WorkClass.BATCH)


@router.post("/run/long-batch")
async def run_long_batch(call: AnyCall) -> Response:
    return await _answer_batch(call, Route.RUN, WorkClass.LONG_BATCH)


@router.post("/judge/long-batch")
async def judge_long_batch(call: AnyCall) -> Response:
    return await _answer_batch(call, Route.JUDGE, WorkClass.LONG_BATCH)


async def _answer_one(call: Call, route: Route) -> Response:
    master = call.master
    glance = await master.admission.check()
    submission = master.intake.single(await call.document(), glance.languages)
    batch = await master.accept([submission], WorkClass.INTERACTIVE, call.deadline_s, call.origin)
    async with until_hangup(batch, call.request.receive):
        [answer] = await collect(batch, RENDERS[route, call.detail])
    return Response(answer, media_type=JSON)


async def _answer_batch(call: Call, route: Route, work_class: WorkClass) -> Response:
    master = call.master
    glance = await master.admission.check()
    sub_id, items = await master.intake.batch(await call.document(), glance.languages)
    batch = await master.accept(items, work_class, call.deadline_s, call.origin)
    if call.wants_stream:
        return ResultStream(batch, sub_id, RENDERS[route, call.detail])
    async with until_hangup(batch, call.request.receive):
        answers = await collect(batch, RENDERS[route, call.detail])
    return Response(joined(sub_id, answers), media_type=JSON)
