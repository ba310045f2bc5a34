"""Times in columns: whole milliseconds since 1970, in UTC."""

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MS = timedelta(milliseconds=1)


def to_ms(moment: datetime) -> int:
    """Return *moment* (aware) as a column holds it, cut to milliseconds."""
    return (moment - _EPOCH) // _MS


def from_ms(moment_ms: int) -> datetime:
    """Return the moment that a column holds, in UTC."""
    return _EPOCH + moment_ms * _MS
