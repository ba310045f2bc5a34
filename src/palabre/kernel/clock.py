"""Time, handed in so that tests own it."""

from datetime import datetime, tzinfo
from typing import Protocol


class Clock(Protocol):
    """A source of time."""

    @property
    def zone(self) -> tzinfo:
        """The time zone in which people of this machine read the hour."""
        ...

    def now(self) -> datetime:
        """Return the time, aware, in UTC."""
        ...

    def monotonic(self) -> float:
        """Return seconds that never go back; only differences mean something."""
        ...


def iso_utc(moment: datetime) -> str:
    """Write *moment* (aware, UTC) as `2026-03-20T10:00:00.000Z`."""
    # Not %Y: some systems do not pad years below 1000.
    ms = moment.microsecond // 1000
    return f"{moment.year:04d}-{moment:%m-%dT%H:%M:%S}.{ms:03d}Z"


def whole_ms(moment: datetime) -> datetime:
    """Return *moment* cut to milliseconds, which is what files and frames keep of it."""
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)
