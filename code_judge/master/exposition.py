"""Turns what the cluster has counted, and how it stands, into Prometheus's families.

prometheus_client's own counters would hold one process's figures; these come from Redis and hold for all
masters and nodes, those included that have ended. So only its data classes and its formats are used.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from prometheus_client.metrics_core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from code_judge.contract import NodeInfo
from code_judge.metrics import Counter, Counts, Gauge, Histogram, families
from code_judge.metrics.tally import SUM, bucket_names
from code_judge.queue import ClusterView, WorkClass

Values = Mapping[tuple[str, ...], float]
"""A gauge's values by those of its labels."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The cluster at one moment."""

    counts: Counts
    view: ClusterView
    oldest_waits: Mapping[WorkClass, float]
    paused: bool


class Exposition(Collector):
    """One scrape's answer."""

    def __init__(self, snapshot: Snapshot | None) -> None:
        self._snapshot = snapshot

    def collect(self) -> Iterable[Metric]:
        yield _gauge(families.REDIS_UP, {(): self._snapshot is not None})
        if self._snapshot is not None:
            yield from _gauges(self._snapshot)
            yield from _counted(self._snapshot.counts)


def _gauges(snapshot: Snapshot) -> Iterator[Metric]:
    view = snapshot.view
    yield _gauge(families.PAUSED, {(): snapshot.paused})
    yield _gauge(families.QUEUE_LENGTH, {(name.value,): length for name, length in view.queued.items()})
    yield _gauge(families.QUEUE_OLDEST, {(name.value,): wait for name, wait in snapshot.oldest_waits.items()})
    yield _gauge(families.IN_FLIGHT, {(): view.in_flight})
    yield from _node_gauges(view.nodes)


def _node_gauges(nodes: list[NodeInfo]) -> Iterator[Metric]:
    yield _gauge(families.NODES, {(): len(nodes)})
    yield _gauge(families.NODE_INFO, {(node.name, node.version, node.sandbox): 1 for node in nodes})
    yield _gauge(families.NODE_SLOTS, {(node.name,): node.slots for node in nodes})
    yield _gauge(families.NODE_BUSY, {(node.name,): node.busy for node in nodes})
    yield _gauge(families.NODE_DRAINING, {(node.name,): node.draining for node in nodes})
    walls: Values = {(node.name, wall.name): wall.active for node in nodes for wall in node.protections}
    yield _gauge(families.NODE_PROTECTION, walls)


def _gauge(gauge: Gauge, values: Values) -> Metric:
    metric = GaugeMetricFamily(gauge.name, gauge.help, labels=gauge.labels)
    for labels, value in values.items():
        metric.add_metric(labels, float(value))
    return metric


def _counted(counts: Counts) -> Iterator[Metric]:
    """Families that nobody here knows, of a newer master or node, are left to those."""
    for family in families.FAMILIES:
        series = {key[1:]: count for key, count in counts.items() if key[0] == family.name}
        if isinstance(family, Counter):
            yield _counter(family, series)
        elif isinstance(family, Histogram):
            yield _histogram(family, series)


def _counter(counter: Counter, series: Values) -> Metric:
    metric = CounterMetricFamily(counter.name, counter.help, labels=counter.labels)
    # One without labels is there from the start, so that its first increase is seen as one.
    for labels, count in series.items() if counter.labels else [((), series.get((), 0.0))]:
        metric.add_metric(labels, count)
    return metric


def _histogram(histogram: Histogram, series: Values) -> Metric:
    metric = HistogramMetricFamily(histogram.name, histogram.help, labels=histogram.labels)
    bounds = bucket_names(histogram)[:-1]
    for labels in dict.fromkeys(key[:-1] for key in series):
        total = 0.0
        buckets = []
        for bound in bounds:
            total += series.get((*labels, bound), 0)
            buckets.append((bound, total))
        metric.add_metric(labels, buckets, series.get((*labels, SUM), 0.0))
    return metric
