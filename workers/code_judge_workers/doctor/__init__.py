"""What this node can protect and what it lacks, before anybody relies on it: ``code-judge doctor``.

The sandbox is not described here but started, by the code that starts it in a node, and asked; the rest are
looks at Redis and at the limits of this machine. Every finding that is not fine says what to do::

    settings ─▶ walls.py, redis_server.py, limits.py ─▶ findings
                   └▶ remedies.py ◀── host.py: why this machine refuses
"""

from .examination import examine
from .finding import Finding, Grade

__all__ = ["Finding", "Grade", "examine"]
