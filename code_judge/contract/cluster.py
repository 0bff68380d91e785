"""What the cluster says of itself."""

from pydantic import BaseModel, ConfigDict

from .verdict import Verdict


class LanguageInfo(BaseModel):
    """One language that a node offers."""

    model_config = ConfigDict(frozen=True)

    name: str
    version: str
    """The first line that the compiler or interpreter prints of itself."""


class Protection(BaseModel):
    """One wall of a node's sandbox, and whether it stands."""

    model_config = ConfigDict(frozen=True)

    name: str
    active: bool
    detail: str = ""
    """How it is done, or why it is missing and what would bring it."""


class NodeInfo(BaseModel):
    """What a worker node tells when it registers and with each heartbeat."""

    model_config = ConfigDict(frozen=True)

    name: str
    """Unique among live nodes; names the node in results and in `code-judge drain`."""
    host: str
    pid: int
    version: str
    started_at: float
    """Unix time, by the node's own clock; shown, never compared."""
    slots: int
    """Worker threads alive."""
    busy: int = 0
    """Worker threads with a submission in hand."""
    draining: bool = False
    """Claims nothing more; leaves when what it has is done."""
    sandbox: str = ""
    """The tier in force: namespaces, uids or bare."""
    protections: list[Protection] = []
    languages: list[LanguageInfo] = []


class Status(BaseModel):
    """``GET /status``: exactly two fields, since legacy clients take no third."""

    queue: int
    """Work items waiting."""
    num_workers: int
    """Worker threads of live nodes."""


class Cluster(BaseModel):
    """``GET /cluster``: the live nodes, and what waits and runs."""

    nodes: list[NodeInfo]
    slots: int
    """Worker threads of live nodes."""
    busy: int
    """Those of them with a submission in hand."""
    languages: list[str]
    """What the nodes offer, all together."""
    queued: dict[str, int]
    """Work items waiting, by class: interactive, batch, long_batch."""
    in_flight: int
    """Work items leased to nodes."""


class Failure(BaseModel):
    """One submission that the judge failed at. Holds nothing of the submission's own text."""

    model_config = ConfigDict(frozen=True)

    at: float = 0.0
    """Unix time by Redis's clock, in seconds; 0 until the queue has set it."""
    work_id: str
    """Names the work item in the logs of master and nodes."""
    verdict: Verdict
    node: str | None = None
    """The last node that had it in hand, if any."""
    attempts: int = 0
    """How often it was handed to a node."""
    why: str = ""
