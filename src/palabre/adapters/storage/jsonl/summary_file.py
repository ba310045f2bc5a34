"""What stands for the oldest utterances of a channel, when it was summarised.

`<channel>.summary.json`: `{channel, summaryText, entriesCompacted, lastCompactedAt,
totalCompactions}` (facts of rooms, 3.5). Only its counts are read here.
"""

from dataclasses import dataclass
from datetime import UTC, datetime

import msgspec

from palabre.adapters.storage.jsonl.context_file import read_beginning

_MAX_SUMMARY_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Compaction:
    """How much was summarised, and when last; None if never, or if nobody can tell."""

    entries: int = 0
    times: int = 0
    at: datetime | None = None


def read_compaction(path: str) -> Compaction:
    """Return what the summary *path* counts; zeros when it is missing or makes no sense.

    Raises:
        StorageError: It is there but cannot be read.
    """
    content = read_beginning(path, _MAX_SUMMARY_BYTES)
    if content is None:
        return Compaction()
    try:
        found = msgspec.json.decode(content, type=dict[str, object])
    except (msgspec.MsgspecError, RecursionError):
        return Compaction()
    return Compaction(
        entries=_number(found.get("entriesCompacted")),
        times=_number(found.get("totalCompactions")),
        at=_moment(found.get("lastCompactedAt")),
    )


def _number(value: object) -> int:
    return int(value) if isinstance(value, int) and value > 0 else 0


def _moment(value: object) -> datetime | None:
    try:
        at = datetime.fromisoformat(str(value))
        return at.replace(tzinfo=at.tzinfo or UTC).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
