"""What one process has counted and not yet told the cluster."""

import json
import secrets
import threading
from bisect import bisect_left
from dataclasses import dataclass

from .families import Counter, Histogram

SUM = "sum"
"""In place of a bucket: what a histogram's observations add up to."""
INFINITY = "+Inf"

Key = tuple[str, ...]
"""A family's name, its labels' values and, for a histogram, a bucket's upper bound or SUM."""

Counts = dict[Key, float]
"""How much there is of each; a bucket holds only what fell between the one before it and its own bound."""


@dataclass(frozen=True, slots=True)
class Packet:
    """Counts on their way to the cluster. What was told with a number is never added twice."""

    number: int
    counts: Counts


class Tally:
    """Counts, from any thread, for less than a microsecond each.

    Counts leave as packets, one at a time: a packet stays the same until it is known to have been told, so
    that nothing is lost or counted twice when Redis is away in between.
    """

    def __init__(self) -> None:
        self.owner = secrets.token_hex(8)
        """Sets this process's packets apart from all others', also from those of a process of its name."""
        self._lock = threading.Lock()
        self._counts: Counts = {}
        self._observed: dict[Key, tuple[Histogram, list[float]]] = {}
        """For each series how many fell into each bucket, and their sum behind the last."""
        self._packet: Packet | None = None
        self._number = 0

    def add(self, counter: Counter, *labels: str, by: float = 1) -> None:
        """Something happened ``by`` times."""
        key = (counter.name, *labels)
        with self._lock:
            self._counts[key] = self._counts.get(key, 0) + by

    def observe(self, histogram: Histogram, value: float, *labels: str) -> None:
        """Something took so long."""
        key = (histogram.name, *labels)
        place = bisect_left(histogram.bounds, value)
        with self._lock:
            if key not in self._observed:
                self._observed[key] = histogram, [0] * (len(histogram.bounds) + 2)
            buckets = self._observed[key][1]
            buckets[place] += 1
            buckets[-1] += value

    def packet(self) -> Packet | None:
        """What is to be told next; None where nothing was counted."""
        with self._lock:
            if self._packet is None and (self._counts or self._observed):
                self._number += 1
                self._packet = Packet(self._number, self._counts | _flat(self._observed))
                self._counts, self._observed = {}, {}
            return self._packet

    def told(self, packet: Packet) -> None:
        """The cluster has this packet."""
        with self._lock:
            if self._packet is packet:
                self._packet = None


def _flat(observed: dict[Key, tuple[Histogram, list[float]]]) -> Counts:
    return {
        (*key, name): count
        for key, (histogram, buckets) in observed.items()
        for name, count in zip(bucket_names(histogram), buckets, strict=True)
        if count
    }


def bucket_names(histogram: Histogram) -> list[str]:
    """The last parts of its keys: the upper bounds as Prometheus writes them, then SUM."""
    return [*(f"{bound:g}" for bound in histogram.bounds), INFINITY, SUM]


def write_key(key: Key) -> str:
    """A key as one text, as Redis keeps it."""
    return json.dumps(key, separators=(",", ":"))


def read_key(text: bytes) -> Key:
    """The key that ``text`` was made of."""
    return tuple(json.loads(text))
