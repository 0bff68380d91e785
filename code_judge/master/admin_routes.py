"""The routes by which an operator holds the cluster, lets it go on, and takes nodes out of it."""

from fastapi import APIRouter
from pydantic import BaseModel

from code_judge.contract import NodeInfo
from code_judge.errors import UnknownNode

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


# A path, since a node's name may hold whatever NODE_NAME was set to, slashes included.
@router.post("/drain/{name:path}")
async def drain(name: str, master: TheMaster) -> NodeInfo:
    """Have a node finish what it has in hand and leave; what it told of itself last. Idempotent.

    It is empty and gone once ``/cluster`` does not list it any more.
    """
    asked = await master.queue.drain(name)
    nodes = (await master.queue.cluster()).nodes if asked else []
    for node in nodes:
        if node.name == name:
            return node
    raise UnknownNode(f"no live node is called {name!r}; /cluster lists those that there are")
