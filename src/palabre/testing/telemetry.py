"""Counts and measures that a test can look at."""

from collections import Counter, defaultdict

from palabre.core.telemetry.metrics import metric
from palabre.core.telemetry.ports import GpuUse, HttpUse


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


class StillMachine:
    """A machine on which nothing happens but what a test gives it.

    Attributes:
        gpu_use: What the graphics card does; None without one.
        noted: Status and duration of each request that it was told of.
    """

    def __init__(self, gpu_use: GpuUse | None = None) -> None:
        self.gpu_use = gpu_use
        self.noted: list[tuple[int, float]] = []

    def uptime_s(self) -> float:
        return 0.0

    def resident_bytes(self) -> int:
        return 0

    def note_request(self, status: int, duration_s: float) -> None:
        self.noted.append((status, duration_s))

    def http(self) -> HttpUse:
        return HttpUse(requests=len(self.noted))

    async def gpu(self) -> GpuUse | None:
        return self.gpu_use
