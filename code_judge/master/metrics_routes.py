"""The route that Prometheus scrapes."""

from fastapi import APIRouter, Request, Response
from prometheus_client import CollectorRegistry
from prometheus_client.exposition import choose_encoder

from code_judge.errors import QueueUnavailable

from .dependencies import TheMaster
from .exposition import Exposition, Snapshot

router = APIRouter()


@router.get("/metrics")
async def metrics(request: Request, master: TheMaster) -> Response:
    """The whole cluster's figures, the same from every process of every master; ``docs/metrics.md``."""
    registry = CollectorRegistry()
    registry.register(Exposition(await _snapshot(master)))
    encode, content_type = choose_encoder(request.headers.get("accept", ""))
    return Response(encode(registry), media_type=content_type)


async def _snapshot(master: TheMaster) -> Snapshot | None:
    """How things stand; None where Redis is away."""
    queue = master.queue
    try:
        await queue.tell_tally()
        return Snapshot(
            counts=await queue.counts(),
            view=await queue.cluster(),
            oldest_waits=await queue.oldest_waits(),
            paused=await queue.paused(),
        )
    except QueueUnavailable:
        return None
