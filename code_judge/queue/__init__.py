"""The work queue between masters and nodes."""

from .interface import ClusterView, MasterQueue, NodeQueue, Reply, WorkState
from .payload import ClaimedWork, WorkClass, WorkPayload

__all__ = [
    "ClaimedWork",
    "ClusterView",
    "MasterQueue",
    "NodeQueue",
    "Reply",
    "WorkClass",
    "WorkPayload",
    "WorkState",
]
