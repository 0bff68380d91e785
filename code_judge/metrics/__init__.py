"""What the cluster counts: the families of figures, and the tally that a process keeps of its own part.

Imports nothing but the standard library, since masters, nodes and the queue count alike. How figures get
from the processes to ``/metrics`` is told in ``docs/decisions/0008-metrics.md``.
"""

from .families import Counter, Gauge, Histogram
from .tally import Counts, Packet, Tally

__all__ = ["Counter", "Counts", "Gauge", "Histogram", "Packet", "Tally"]
