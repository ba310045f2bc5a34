"""What stands for the oldest utterances of a channel, when it was summarised.

`<channel>.summary.json`: `{channel, summaryText, entriesCompacted, lastCompactedAt,
totalCompactions}` (facts of rooms, 3.5).
"""

from dataclasses import dataclass
from datetime import UTC, datetime

import msgspec

from palabre.adapters.storage.jsonl.context_file import read_beginning
from palabre.kernel.clock import iso_utc
from palabre.kernel.ids import ChannelName

_MAX_SUMMARY_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Compaction:
    """What was summarised, how much, and when last; None if never, or if nobody can tell."""

    entries: int = 0
    times: int = 0
    at: datetime | None = None
    text: str = ""

    def plus(self, entries: int, text: str, at: datetime) -> "Compaction":
        """Return the count with *entries* more, for which *text* stands besides the others."""
        return Compaction(self.entries + entries, self.times + 1, at, text)


def read_compaction(path: str) -> Compaction:
    """Return what the summary *path* says; nothing when it is missing or makes no sense.

    Raises:
        StorageError: It is there but cannot be read.
    """
    content = read_beginning(path, _MAX_SUMMARY_BYTES)
    return Compaction() if content is None else as_compaction(content)


def as_compaction(content: bytes) -> Compaction:
    """Return what the *content* of a summary's file says; nothing when it makes no sense."""
    try:
        found = msgspec.json.decode(content, type=dict[str, object])
    except (msgspec.MsgspecError, RecursionError):
        return Compaction()
    text = found.get("summaryText")
    return Compaction(
        entries=_number(found.get("entriesCompacted")),
        times=_number(found.get("totalCompactions")),
        at=_moment(found.get("lastCompactedAt")),
        text=text if isinstance(text, str) else "",
    )


def summary_json(channel: ChannelName, compaction: Compaction) -> dict[str, object]:
    """Return what the summary's file of *channel* holds."""
    return {
        "channel": channel,
        "summaryText": compaction.text,
        "entriesCompacted": compaction.entries,
        "lastCompactedAt": iso_utc(compaction.at) if compaction.at else None,
        "totalCompactions": compaction.times,
    }


def _number(value: object) -> int:
    return int(value) if isinstance(value, int) and value > 0 else 0


def _moment(value: object) -> datetime | None:
    try:
        at = datetime.fromisoformat(str(value))
        return at.replace(tzinfo=at.tzinfo or UTC).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
