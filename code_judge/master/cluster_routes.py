"""The routes that tell how the cluster is."""

import asyncio

from fastapi import APIRouter, Response
from fastapi.responses import JSONResponse

from code_judge.contract import Cluster, Failure, Status
from code_judge.errors import QueueUnavailable

from .dependencies import TheMaster
from .master import Master

router = APIRouter()

PROBE_S = 2.0
"""Seconds that ``/healthz`` waits for Redis: probes give up after a few seconds themselves."""


@router.get("/ping")
async def ping() -> str:
    """This process is alive."""
    return "pong"


@router.get("/status")
async def status(master: TheMaster) -> Status:
    """What legacy clients look at: two figures, no more."""
    view = await master.queue.cluster()
    return Status(queue=sum(view.queued.values()), num_workers=sum(node.slots for node in view.nodes))


@router.get("/cluster")
async def cluster(master: TheMaster) -> Cluster:
    """The nodes with what they offer and how they are protected, and the queue by class."""
    view = await master.queue.cluster()
    return Cluster(
        nodes=view.nodes,
        slots=sum(node.slots for node in view.nodes),
        busy=sum(node.busy for node in view.nodes),
        languages=sorted({language.name for node in view.nodes for language in node.languages}),
        queued={work_class.value: count for work_class, count in view.queued.items()},
        in_flight=view.in_flight,
    )


@router.get("/cluster/failures")
async def failures(master: TheMaster) -> list[Failure]:
    """What the judge itself failed at lately, newest first, as all masters remember it together."""
    return await master.queue.failures()


@router.get("/healthz")
async def healthz(master: TheMaster) -> Response:
    """Whether this master can get work done: 200, or 503 naming what is missing."""
    missing = await _missing(master)
    return JSONResponse({"ready": not missing, "missing": missing}, 503 if missing else 200)


async def _missing(master: Master) -> list[str]:
    if master.admission.draining:
        return ["this master is stopping"]
    try:
        async with asyncio.timeout(PROBE_S):
            view = await master.queue.cluster()
    except (QueueUnavailable, TimeoutError):
        return ["redis"]
    return [] if any(node.slots for node in view.nodes) else ["worker"]
