"""The machine's own time and chance; everything else gets them handed in."""

import secrets
import time
from datetime import UTC, datetime, timedelta, tzinfo

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


class SystemClock:
    """The time of this machine.

    Attributes:
        zone: The machine's zone, with its own change of summer and winter time.
    """

    def __init__(self) -> None:
        self.zone: tzinfo = _MachineZone()

    def now(self) -> datetime:
        return datetime.now(UTC)  # noqa: TID251 - the one place that asks the machine

    def monotonic(self) -> float:
        return time.monotonic()


class SystemIds:
    """Identifiers that nobody has seen before: milliseconds and 32 bits of chance."""

    def new(self, prefix: str) -> str:
        """Return `<prefix>_<milliseconds in base 36>_<8 hex digits>`."""
        now_ms = time.time_ns() // 1_000_000
        return f"{prefix}_{_base36(now_ms)}_{secrets.token_hex(4)}"


class _MachineZone(tzinfo):
    """What the C library says about each moment, so that it needs no zone's name."""

    def utcoffset(self, moment: datetime | None) -> timedelta | None:
        return None if moment is None else moment.replace(tzinfo=None).astimezone().utcoffset()

    def dst(self, moment: datetime | None) -> timedelta | None:
        if moment is None:
            return None
        is_dst = time.localtime(moment.replace(tzinfo=None).timestamp()).tm_isdst > 0
        return timedelta(hours=1) if is_dst else timedelta(0)

    def tzname(self, moment: datetime | None) -> str | None:
        return None if moment is None else moment.replace(tzinfo=None).astimezone().tzname()

    def fromutc(self, moment: datetime) -> datetime:
        return moment.replace(tzinfo=UTC).astimezone().replace(tzinfo=self)


def _base36(number: int) -> str:
    digits = ""
    while number:
        number, digit = divmod(number, 36)
        digits = _DIGITS[digit] + digits
    return digits or "0"
