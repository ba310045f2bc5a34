"""Where counts and measures go."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
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
class Timing:
    """How long something took since the start, in milliseconds."""

    count: int = 0
    mean_ms: float = 0.0
    max_ms: float = 0.0
    p50_ms: float = 0.0
    p95_ms: float = 0.0
    p99_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class HttpUse:
    """Requests answered since the start, and how long they took (milliseconds).

    Attributes:
        statuses: How many had which status.
    """

    requests: int = 0
    mean_ms: float = 0.0
    max_ms: float = 0.0
    p50_ms: float = 0.0
    p95_ms: float = 0.0
    p99_ms: float = 0.0
    statuses: Mapping[int, int] = field(default_factory=dict)

    @property
    def timing(self) -> Timing:
        """How long they took."""
        took = (self.mean_ms, self.max_ms, self.p50_ms, self.p95_ms, self.p99_ms)
        return Timing(self.requests, *took)


class Machine(Protocol):
    """What this process and its machine are doing."""

    def uptime_s(self) -> float:
        """Return how long the program has been running."""
        ...

    def resident_bytes(self) -> int:
        """Return the memory that the process holds."""
        ...

    def note_request(self, status: int, duration_s: float) -> None:
        """Count one HTTP request that was answered with *status* after *duration_s*."""
        ...

    def http(self) -> HttpUse:
        """Return how HTTP requests went."""
        ...

    async def gpu(self) -> GpuUse | None:
        """Return how busy the graphics card is, within two seconds; None without one."""
        ...


@dataclass(frozen=True, slots=True)
class ErrorSeen:
    """One error of the program, without anything that a user wrote.

    Attributes:
        label: The part of the program that told it.
        stack: Where it happened, the innermost call first; at most three.
        reference: What the user was told to refer to it; empty if nobody was.
    """

    at: datetime
    label: str
    message: str
    stack: tuple[str, ...] = ()
    reference: str = ""


class ErrorLog(Protocol):
    """The errors of this process."""

    def recent(self) -> Sequence[ErrorSeen]:
        """Return the last 200, the newest first."""
        ...

    def counts(self) -> Mapping[str, int]:
        """Return how many there were since the start, by label."""
        ...
