"""The routes by which an operator holds the cluster and lets it go on."""

from fastapi import APIRouter
from pydantic import BaseModel

from .dependencies import TheMaster

router = APIRouter(prefix="/admin")


class AdminState(BaseModel):
    """Whether new work is taken, and how much accepted work has no result yet, in the whole cluster."""

    paused: bool
    in_flight: int
    """Submissions without a result: those queued and those running."""
    queued: int
    running: int


@router.post("/pause")
async def pause(master: TheMaster) -> AdminState:
    """Refuse new work in every process of every master; what was accepted goes on. Idempotent."""
    await master.admission.set_paused(True)
    return await state(master)


@router.post("/resume")
async def resume(master: TheMaster) -> AdminState:
    """Take new work again. Idempotent."""
    await master.admission.set_paused(False)
    return await state(master)


@router.get("/state")
async def state(master: TheMaster) -> AdminState:
    """How things stand: once ``in_flight`` is 0 after a pause, nothing can be lost."""
    view = await master.queue.cluster()
    queued = sum(view.queued.values())
    return AdminState(
        paused=await master.admission.paused(),
        in_flight=queued + view.in_flight,
        queued=queued,
        running=view.in_flight,
    )
