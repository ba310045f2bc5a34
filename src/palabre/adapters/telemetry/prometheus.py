"""Counts and measures kept for Prometheus."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

_PREFIX = "palabre_"
_SECONDS = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0, 300.0)


class PrometheusTelemetry:
    """`Telemetry` in a registry of its own; `exposition` is what Prometheus reads."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._counters: dict[str, Counter] = {}
        self._histograms: dict[str, Histogram] = {}
        self._gauges: dict[str, Gauge] = {}
        self._children: dict[tuple[str, str], Counter] = {}

    def count(self, name: str, *, label: str = "") -> None:
        child = self._children.get((name, label))
        if child is None:
            child = self._children[name, label] = self._counter(name).labels(kind=label)
        child.inc()

    def observe(self, name: str, value: float) -> None:
        if name not in self._histograms:
            self._histograms[name] = Histogram(
                _PREFIX + name, name, registry=self._registry, buckets=_SECONDS
            )
        self._histograms[name].observe(value)

    def set(self, name: str, value: float) -> None:
        if name not in self._gauges:
            self._gauges[name] = Gauge(_PREFIX + name, name, registry=self._registry)
        self._gauges[name].set(value)

    def exposition(self) -> bytes:
        """Return all figures in the Prometheus text format."""
        return generate_latest(self._registry)

    def _counter(self, name: str) -> Counter:
        if name not in self._counters:
            self._counters[name] = Counter(_PREFIX + name, name, ["kind"], registry=self._registry)
        return self._counters[name]
