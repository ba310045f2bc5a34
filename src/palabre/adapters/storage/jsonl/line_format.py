"""One utterance, one line of JSON: how it is written, and how tolerantly it is read.

Log line: `{"ts","channel","nick","type","text"}`. Context line: `{"ts","nick","text","type"}`,
its text cut to `MAX_CONTEXT_CHARS` (facts of rooms, 3.2 and 3.5). `ts` is ISO 8601, UTC.
"""

import json
from dataclasses import dataclass, replace
from datetime import MAXYEAR, MINYEAR, UTC, datetime
from typing import Literal

import msgspec

from palabre.core.chat.model import Utterance
from palabre.core.chat.ports import MAX_CONTEXT_CHARS
from palabre.kernel.clock import iso_utc, whole_ms
from palabre.kernel.ids import ChannelName, Nick

MAX_LINE_BYTES = 64 * 1024
"""A longer line is no context line: it is passed over unread."""


class _LogLine(msgspec.Struct):
    ts: str
    channel: str
    nick: str
    type: str
    text: str


class _ContextLine(msgspec.Struct):
    ts: str
    nick: str
    text: str
    type: str


class _ReadLine(msgspec.Struct):
    ts: datetime
    nick: str
    text: str
    type: str = "message"


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(_ReadLine).decode


@dataclass(frozen=True, slots=True)
class Lines:
    """An utterance as it is written.

    Attributes:
        kept: What reading the context line gives back.
    """

    kept: Utterance
    log: bytes
    context: bytes


def write_lines(utterance: Utterance) -> Lines:
    """Return the two lines of *utterance*, each with its newline."""
    try:
        return _lines(utterance)
    except UnicodeEncodeError:
        return _lines(mended(utterance))


def kept(utterance: Utterance) -> Utterance:
    """Return *utterance* as the context gives it back: UTC milliseconds, text cut."""
    return Utterance(
        at=whole_ms(utterance.at.astimezone(UTC)),
        channel=utterance.channel,
        nick=utterance.nick,
        text=utterance.text[:MAX_CONTEXT_CHARS],
        kind=utterance.kind,
    )


def read_line(line: bytes, channel: ChannelName) -> Utterance | None:
    """Return what the context line *line* of *channel* says; None if it makes no sense."""
    try:
        read = _decode(line)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return _read_foreign(line, channel)
    return _utterance(channel, read.ts, read.nick, read.text, read.type)


def count_chars(line: bytes) -> int | None:
    """Return how many characters `read_line` would give of *line*'s text, at less cost."""
    try:
        read = _decode(line)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        read = None
    if read and MINYEAR < read.ts.year < MAXYEAR:
        return min(len(read.text), MAX_CONTEXT_CHARS)
    utterance = read_line(line, ChannelName(""))
    return len(utterance.text) if utterance else None


def mended(utterance: Utterance) -> Utterance:
    """Return *utterance* with nothing in it that UTF-8 cannot say."""
    return replace(utterance, nick=Nick(mend(utterance.nick)), text=mend(utterance.text))


def mend(words: str) -> str:
    """Return *words* with pairs of surrogates joined and lone ones made U+FFFD."""
    return words.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _lines(utterance: Utterance) -> Lines:
    short = kept(utterance)
    ts, nick, kind = iso_utc(short.at), short.nick, short.kind
    log = _encode(_LogLine(ts, short.channel, nick, kind, utterance.text))
    return Lines(short, log + b"\n", _encode(_ContextLine(ts, nick, short.text, kind)) + b"\n")


def _read_foreign(line: bytes, channel: ChannelName) -> Utterance | None:
    """Read what strict JSON refuses: a byte order mark, and halves of cut emoji."""
    try:
        read = json.loads(line.decode("utf-8-sig"))
        ts, nick, text = read["ts"], read["nick"], read["text"]
        at = datetime.fromisoformat(ts)
    except (ValueError, TypeError, LookupError, RecursionError):
        return None
    if not isinstance(nick, str) or not isinstance(text, str):
        return None
    return _utterance(channel, at, mend(nick), mend(text), str(read.get("type", "message")))


def _utterance(
    channel: ChannelName, at: datetime, nick: str, text: str, kind: str
) -> Utterance | None:
    known: Literal["message", "system"] = "system" if kind == "system" else "message"
    aware = at.replace(tzinfo=UTC) if at.tzinfo is None else at
    try:
        return kept(Utterance(aware, channel, Nick(nick), text, known))
    except OverflowError:
        return None
