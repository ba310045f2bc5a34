"""A line of a day's log, read as tolerantly as can be."""

import json
from datetime import UTC, date, datetime, time

import msgspec

from palabre.adapters.storage.jsonl.line_format import mend
from palabre.core.history.model import MESSAGE, RAW, NewLine

Fields = dict[str, object]

_decode = msgspec.json.Decoder(Fields).decode


def read_log_line(line: bytes, day: date, size_bytes: int) -> NewLine:
    """Return what *line* of the log of *day* says; what makes no sense is of the kind `raw`."""
    fields = _fields(line)
    text = fields.get("text")
    if not isinstance(text, str):
        words = mend(line.decode("utf-8", "replace"))
        return NewLine(_start_of(day), "", "", RAW, words, size_bytes)
    return NewLine(
        at=_moment(fields.get("ts"), day),
        channel=_words(fields.get("channel")),
        nick=_words(fields.get("nick")),
        kind=_words(fields.get("type")) or MESSAGE,
        text=mend(text),
        size_bytes=size_bytes,
    )


def _fields(line: bytes) -> Fields:
    try:
        return _decode(line)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return _foreign_fields(line)


def _foreign_fields(line: bytes) -> Fields:
    """Read what strict JSON refuses: a byte order mark, and halves of cut emoji."""
    try:
        read = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return {}
    return read if isinstance(read, dict) else {}


def _words(value: object) -> str:
    return mend(value) if isinstance(value, str) else ""


def _moment(value: object, day: date) -> datetime:
    try:
        at = datetime.fromisoformat(str(value))
        return at.replace(tzinfo=at.tzinfo or UTC).astimezone(UTC)
    except (ValueError, OverflowError):
        return _start_of(day)


def _start_of(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
