"""Ids and rows of lines."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from palabre.adapters.storage.sql.history.sqlite_words import WordEntry, entry
from palabre.adapters.storage.sql.moments import to_ms
from palabre.core.history.counting import counted_kind
from palabre.core.history.folding import folded_line
from palabre.core.history.model import NewLine

PLACE_BITS = 36
"""Of an id: where in its day a line stands; those above are the days since 1970."""

_EPOCH = date(1970, 1, 1).toordinal()

UNSAYABLE = "\ufffd"
"""Instead of NUL, which Postgres does not keep."""

MAX_KIND_CHARS = 32

Row = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class NumberedLine:
    """A line and the id that it is kept by."""

    id: int
    line: NewLine


def first_id(day: date) -> int:
    """Return the least id that a line of *day* may have."""
    return (day.toordinal() - _EPOCH) << PLACE_BITS


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
        ids = [each.id for each in numbered] if with_words else []
        words = [entry(each, str(row["folded"])) for each, row in zip(ids, rows, strict=False)]
        return cls(rows, words, _counts(rows, [each.line.size_bytes for each in numbered]))


def _row(numbered: NumberedLine) -> dict[str, object]:
    line = numbered.line
    nick, text = _sayable(line.nick), _sayable(line.text)
    return {
        "id": numbered.id,
        "day": day_of(numbered.id).isoformat(),
        "at_ms": to_ms(line.at),
        "channel": _sayable(line.channel),
        "nick": nick,
        "kind": _sayable(line.kind)[:MAX_KIND_CHARS],
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


def _sayable(words: str) -> str:
    return words.replace("\0", UNSAYABLE)
