"""Counts and measures that a test can look at."""

from collections import Counter, defaultdict


class RecordingTelemetry:
    """Keeps what it is told.

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
        self.counts[name, label] += 1

    def observe(self, name: str, value: float) -> None:
        self.observed[name].append(value)

    def set(self, name: str, value: float) -> None:
        self.gauges[name] = value
