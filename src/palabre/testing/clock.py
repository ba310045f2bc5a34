"""A clock that stands still until a test moves it."""

from datetime import UTC, datetime, timedelta, tzinfo


class FrozenClock:
    """Time that only a test moves.

    Attributes:
        zone: The zone in which hours are read; UTC unless another is given.
    """

    def __init__(self, now: datetime | None = None, zone: tzinfo = UTC) -> None:
        self.zone = zone
        self._now = now or datetime(2026, 3, 20, 10, tzinfo=UTC)
        self._elapsed_s = 0.0

    def now(self) -> datetime:
        return self._now

    def monotonic(self) -> float:
        return self._elapsed_s

    def advance(self, seconds: float) -> None:
        """Let *seconds* pass, on the wall and for `monotonic`."""
        self._now += timedelta(seconds=seconds)
        self._elapsed_s += seconds

    def set(self, now: datetime) -> None:
        """Put the wall clock to *now* (aware); `monotonic` takes no notice."""
        self._now = now.astimezone(UTC)
