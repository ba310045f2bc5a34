"""Where counts and measures go."""

from dataclasses import dataclass
from typing import Protocol


class Telemetry(Protocol):
    """Counts what happens, and never waits. Names are those of `metrics.METRICS`.

    Raises:
        LookupError: The table of metrics has no such name with, or without, a label.
    """

    def count(self, name: str, *, label: str = "") -> None:
        """Add one to the counter *name*; *label* says of which kind.

        Labels come from code, never from what a user typed.
        """
        ...

    def observe(self, name: str, value: float) -> None:
        """Note one *value* (seconds, bytes: the name says which) of the distribution *name*."""
        ...

    def set(self, name: str, value: float) -> None:
        """Set the gauge *name* to *value*."""
        ...


@dataclass(frozen=True, slots=True)
class GpuUse:
    """How busy the graphics card is; memory in MiB."""

    used_mib: int
    total_mib: int
    busy_percent: int


@dataclass(frozen=True, slots=True)
class HttpUse:
    """Requests answered since the start, and how long they took (milliseconds)."""

    requests: int = 0
    mean_ms: float = 0.0
    max_ms: float = 0.0


class Machine(Protocol):
    """What this process and its machine are doing."""

    def uptime_s(self) -> float:
        """Return how long the program has been running."""
        ...

    def resident_bytes(self) -> int:
        """Return the memory that the process holds."""
        ...

    def http(self) -> HttpUse:
        """Return how HTTP requests went."""
        ...

    async def gpu(self) -> GpuUse | None:
        """Return how busy the graphics card is, within two seconds; None without one."""
        ...
