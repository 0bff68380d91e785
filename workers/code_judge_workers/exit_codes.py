"""How a worker node's process ends, for whoever supervises it. ``docs/exit-codes.md`` explains each."""

from enum import IntEnum


class NodeExit(IntEnum):
    """Exit codes of ``run_workers.py``."""

    LEFT = 0
    """Asked to stop: finished its runs, or gave back what outlived WORKER_GRACE_TIME."""
    FAILED = 1
    """A part of the node failed unexpectedly; it gave back its work. Start it again."""
    BAD_SETTINGS = 2
    """A setting has a bad value; the message names it. Starting again will not help."""
    NO_SANDBOX = 3
    """The sandbox could not be set up; the message names the step. Starting again will not help."""
    FORCED = 4
    """Asked twice to stop: killed its runs and gave them back."""
    UNDELIVERED = 5
    """Left while Redis was away: what it held is run again by others once its leases have lapsed."""
