"""Ids and rows of lines."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from palabre.adapters.storage.sql.history.sqlite_words import WordEntry, entry
from palabre.adapters.storage.sql.moments import to_ms
from palabre.adapters.storage.sql.signs import sayable
from palabre.core.history.counting import counted_kind
from palabre.core.history.folding import folded_line
from palabre.core.history.model import NewLine

PLACE_BITS = 36
"""Of an id: where in its day a line stands; those above are the days since 1970."""

STRETCH_BITS = PLACE_BITS + 3
"""Of an id: those above tell its stretch of eight days, by which Postgres's index is searched."""

_EPOCH = date(1970, 1, 1).toordinal()

MAX_KIND_CHARS = 32
MAX_NAME_CHARS = 200
"""Of nicks and channels: Postgres's indexes take no longer ones, whatever signs they have."""

Row = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class NumberedLine:
    """A line and the id that it is kept by."""

    id: int
    line: NewLine


def first_id(day: date) -> int:
    """Return the least id that a line of *day* may have."""
    return (day.toordinal() - _EPOCH) << PLACE_BITS


def end_id(day: date) -> int:
    """Return what the id of every line of *day* is below."""
    return first_id(day) + (1 << PLACE_BITS)


def day_of(line_id: int) -> date:
    """Return the day of the line with that id."""
    return date.fromordinal(_EPOCH + (line_id >> PLACE_BITS))


@dataclass(frozen=True, slots=True)
class Batch:
    """What is written for some lines.

    Attributes:
        words: For SQLite's index; empty for Postgres.
        counts: Sorted by their keys, so that nobody waits in a circle.
    """

    rows: list[dict[str, object]]
    words: list[WordEntry]
    counts: list[dict[str, object]]

    @classmethod
    def of(cls, numbered: Sequence[NumberedLine], *, with_words: bool) -> "Batch":
        """Compute it; better not in the event loop."""
        rows = [_row(each) for each in numbered]
        words = [_entry(row) for row in rows] if with_words else []
        return cls(rows, words, _counts(rows, [each.line.size_bytes for each in numbered]))


def _entry(row: Row) -> WordEntry:
    return entry(int(str(row["id"])), str(row["folded"]), str(row["channel"]))


def _row(numbered: NumberedLine) -> dict[str, object]:
    channel, nick, kind, text = kept_words(numbered.line)
    return {
        "id": numbered.id,
        "day": day_of(numbered.id).isoformat(),
        "at_ms": to_ms(numbered.line.at),
        "channel": channel,
        "nick": nick,
        "kind": kind,
        "text": text,
        "folded": folded_line(nick, text),
    }


def _counts(rows: Iterable[Row], sizes: Sequence[int]) -> list[dict[str, object]]:
    counts: dict[tuple[str, str, str], tuple[int, int]] = {}
    for row, size_bytes in zip(rows, sizes, strict=True):
        kind = counted_kind(str(row["kind"]), str(row["text"]))
        key = (str(row["day"]), kind, str(row["nick"]))
        count, total = counts.get(key, (0, 0))
        counts[key] = count + 1, total + size_bytes
    return [
        {"day": day, "kind": kind, "nick": nick, "count": count, "size_bytes": size_bytes}
        for (day, kind, nick), (count, size_bytes) in sorted(counts.items())
    ]


def kept_words(line: NewLine) -> tuple[str, str, str, str]:
    """Return channel, nick, kind and text of *line* as they are kept."""
    kind = sayable(line.kind)[:MAX_KIND_CHARS]
    return name_kept(line.channel), name_kept(line.nick), kind, sayable(line.text)


def name_kept(name: str) -> str:
    """Return *name*, of somebody or of a channel, as it is kept."""
    return sayable(name)[:MAX_NAME_CHARS]
