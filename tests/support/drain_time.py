"""How long a node may take to leave: what service managers must wait before they kill it."""

from code_judge_workers.claimer import CLAIM_WAIT_S
from code_judge_workers.manager import LEAVING_S

EXECUTOR_STOP_S = 15 + 5 + 5
"""What the launcher, its slots and their cgroups may take at most to end."""


def longest_drain_s(grace_time_s: float) -> float:
    """The grace time, then the claim under way, results, the last heartbeat, leaving, the sandboxes."""
    return grace_time_s + CLAIM_WAIT_S + 5 * LEAVING_S + EXECUTOR_STOP_S
