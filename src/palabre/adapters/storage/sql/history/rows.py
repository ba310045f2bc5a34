"""Ids and rows of lines."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from palabre.adapters.storage.sql.moments import to_ms
from palabre.core.history.counting import counted_kind
from palabre.core.history.folding import folded_line
from palabre.core.history.model import NewLine

PLACE_BITS = 36
"""Of an id: where in its day a line stands; those above are the days since 1970."""

_EPOCH = date(1970, 1, 1).toordinal()

UNSAYABLE = "\ufffd"
"""Instead of NUL, which Postgres does not keep."""

CountKey = tuple[str, str, str]
"""Day, kind, nick."""


@dataclass(frozen=True, slots=True)
class NumberedLine:
    """A line and the id that it is kept by."""

    id: int
    line: NewLine


def first_id(day: date) -> int:
    """Return the least id that a line of *day* may have."""
    return (day.toordinal() - _EPOCH) << PLACE_BITS


def row_of(numbered: NumberedLine) -> dict[str, object]:
    """Return the row of `messages`; its day is that of the id."""
    line = numbered.line
    nick, text = _sayable(line.nick), _sayable(line.text)
    return {
        "id": numbered.id,
        "day": day_of(numbered.id).isoformat(),
        "at_ms": to_ms(line.at),
        "channel": _sayable(line.channel),
        "nick": nick,
        "kind": _sayable(line.kind)[:32],
        "text": text,
        "folded": folded_line(nick, text),
    }


def day_of(line_id: int) -> date:
    """Return the day of the line with that id."""
    return date.fromordinal(_EPOCH + (line_id >> PLACE_BITS))


def counts_of(
    rows: Iterable[Mapping[str, object]], sizes: Sequence[int]
) -> dict[CountKey, tuple[int, int]]:
    """Return how many of *rows* there are, and how many bytes they take, sorted by their keys."""
    counts: dict[CountKey, tuple[int, int]] = {}
    for row, size_bytes in zip(rows, sizes, strict=True):
        kind = counted_kind(str(row["kind"]), str(row["text"]))
        key = (str(row["day"]), kind, str(row["nick"]))
        count, bytes_so_far = counts.get(key, (0, 0))
        counts[key] = count + 1, bytes_so_far + size_bytes
    return dict(sorted(counts.items()))


def _sayable(words: str) -> str:
    return words.replace("\0", UNSAYABLE)
