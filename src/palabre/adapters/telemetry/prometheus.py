"""Counts and measures kept for Prometheus."""

from collections.abc import Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from palabre.adapters.telemetry.durations import Durations
from palabre.core.telemetry.metrics import METRICS, Metric, metric
from palabre.core.telemetry.ports import Timing

PREFIX = "palabre_"
KIND = "kind"
_BUCKETS = {
    "seconds": (
        *(0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25),
        *(0.5, 1.0, 2.5, 5.0, 10.0, 60.0, 300.0),
    )
}


class PrometheusTelemetry:
    """`Telemetry` in a registry of its own; `exposition` is what Prometheus reads.

    It keeps the metrics of `core/telemetry/metrics.py` from the start, and knows no others.
    """

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._kept = {each.name: self._made(each) for each in METRICS.values()}
        self._durations: dict[str, Durations] = {}
        self._children: dict[tuple[str, str], Counter] = {}

    def count(self, name: str, *, label: str = "") -> None:
        child = self._children.get((name, label))
        if child is None:
            child = self._children[name, label] = self._child(name, label)
        child.inc()

    def observe(self, name: str, value: float) -> None:
        histogram = self._kept[metric(name, "histogram").name]
        assert isinstance(histogram, Histogram)
        histogram.observe(value)
        if METRICS[name].unit == "seconds":
            self._durations.setdefault(name, Durations()).note(value * 1000)

    def set(self, name: str, value: float) -> None:
        gauge = self._kept[metric(name, "gauge").name]
        assert isinstance(gauge, Gauge)
        gauge.set(value)

    def timings(self) -> Mapping[str, Timing]:
        """Return how long things took, by the name of the distribution; none that never were."""
        return {name: durations.timing() for name, durations in self._durations.items()}

    def exposition(self) -> bytes:
        """Return all figures in the Prometheus text format."""
        return generate_latest(self._registry)

    def _child(self, name: str, label: str) -> Counter:
        wanted = metric(name, "counter", label)
        counter = self._kept[wanted.name]
        assert isinstance(counter, Counter)
        return counter.labels(kind=label) if wanted.kinds else counter

    def _made(self, wanted: Metric) -> Counter | Gauge | Histogram:
        name = PREFIX + wanted.name
        if wanted.type == "counter":
            labels = [KIND] if wanted.kinds else []
            return Counter(name, wanted.help, labels, registry=self._registry)
        if wanted.type == "gauge":
            return Gauge(name, wanted.help, registry=self._registry)
        buckets = _BUCKETS[wanted.unit]
        return Histogram(name, wanted.help, registry=self._registry, buckets=buckets)
