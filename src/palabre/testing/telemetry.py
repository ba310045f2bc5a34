"""Counts and measures that a test can look at."""

from collections import Counter, defaultdict

from palabre.core.telemetry.metrics import metric


class RecordingTelemetry:
    """Keeps what it is told; what the table of metrics does not know is an error.

    Attributes:
        counts: Counters by name and label.
        observed: Values of each distribution, in order.
        gauges: Each gauge's last value.
    """

    def __init__(self) -> None:
        self.counts: Counter[tuple[str, str]] = Counter()
        self.observed: defaultdict[str, list[float]] = defaultdict(list)
        self.gauges: dict[str, float] = {}

    def count(self, name: str, *, label: str = "") -> None:
        self.counts[metric(name, "counter", label).name, label] += 1

    def observe(self, name: str, value: float) -> None:
        self.observed[metric(name, "histogram").name].append(value)

    def set(self, name: str, value: float) -> None:
        self.gauges[metric(name, "gauge").name] = value
