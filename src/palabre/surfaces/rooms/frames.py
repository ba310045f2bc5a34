"""Say events in the words of the rooms protocol (seed 000 §5.7)."""

from dataclasses import replace
from functools import cache
from struct import pack
from typing import TypeVar, assert_never

from msgspec import UNSET, UnsetType
from websockets.frames import Frame, Opcode

from palabre.core.chat.model import (
    ChannelEntered,
    DisplayCleared,
    Event,
    ImageShown,
    LargeEvent,
    MemberJoined,
    MemberParted,
    MessagePosted,
    MusicPlayed,
    NoticeGiven,
    PersonaIntroduced,
    ReplyGrew,
    RosterListed,
    SentenceSpoken,
    UploadAllowed,
)
from palabre.core.chat.ports import LargePayload
from palabre.core.media.base64_text import Base64Text
from palabre.kernel.text import text
from palabre.texts import Language, say
from palabre.wire import rooms as wire

CLEAR = "__clear__"

_FIN = 0x80
_IN_TWO_BYTES, _IN_EIGHT_BYTES = 126, 127
"""In place of a length: it follows in so many bytes."""

V = TypeVar("V")


def to_frame(event: Event, language: Language) -> wire.ServerFrame:  # noqa: C901, PLR0911, PLR0912
    """Return the frame that says *event*; the room's own lines in *language*."""
    match event:
        case MessagePosted(nick, words, color, reply_id, seq):
            return wire.Message(nick, words, color, _or_unset(seq), _or_unset(reply_id))
        case ReplyGrew(nick, words, color, number, reply_id):
            return wire.Chunk(nick, words, color, number, reply_id)
        case NoticeGiven(words, reply_id, seq):
            return wire.System(say(words, language), _or_unset(seq), _or_unset(reply_id))
        case MemberJoined(nick, channel, seq):
            line = say(text("room.joined", nick=nick, channel=channel), language)
            return wire.Join(nick, channel, line, _or_unset(seq))
        case MemberParted(nick, channel, seq):
            line = say(text("room.parted", nick=nick, channel=channel), language)
            return wire.Part(nick, channel, line, _or_unset(seq))
        case RosterListed(nicks, seq):
            return wire.UserList(nicks, _or_unset(seq))
        case PersonaIntroduced(nick, color, seq):
            return wire.Persona(nick, color, _or_unset(seq))
        case ChannelEntered(channel, seq):
            return wire.ChannelInfo(channel, _or_unset(seq))
        case DisplayCleared(seq):
            return wire.System(CLEAR, _or_unset(seq))
        case SentenceSpoken(nick, data, reply_id, number, mime, seq):
            return wire.Audio(nick, data, mime, _or_unset(seq), reply_id, number)
        case ImageShown(nick, caption, data, mime, seq):
            return wire.Image(nick, say(caption, language), str(data), mime, _or_unset(seq))
        case MusicPlayed(nick, caption, data, mime, seq):
            return wire.Music(nick, say(caption, language), str(data), mime, _or_unset(seq))
        case UploadAllowed(ticket, max_bytes):
            return wire.UploadTicket(ticket, max_bytes)
        case _:
            assert_never(event)


class JsonLines:
    """Encodes events as JSON, one a line: JSON holds no raw line feed."""

    def __init__(self, language: Language) -> None:
        self._language = language

    def __call__(self, event: Event) -> bytes:
        return wire.encode(to_frame(event, self._language)) + b"\n"

    def large(self, event: LargeEvent) -> LargePayload:
        """Return the line in one piece."""
        if isinstance(event, SentenceSpoken):
            return _in_one(self(event))
        before, behind = _around(event, self._language)
        buffers = (before, *event.data.pieces, behind + b"\n")
        return LargePayload((buffers,), sum(map(len, buffers)))


class WebSocketFrames:
    """Encodes events as whole WebSocket text frames, ready for the socket (RFC 6455 §5.2).

    A server's frames carry no mask, so the same bytes are right for every client.
    """

    def __init__(self, language: Language) -> None:
        self._language = language

    def __call__(self, event: Event) -> bytes:
        payload = wire.encode(to_frame(event, self._language))
        return Frame(Opcode.TEXT, payload).serialize(mask=False)

    def large(self, event: LargeEvent) -> LargePayload:
        """Return a message in fragments, so that pings and a close can come between (§5.4)."""
        if isinstance(event, SentenceSpoken):
            return _in_one(self(event))
        before, behind = _around(event, self._language)
        first = _header(Opcode.TEXT, len(before), fin=False), before
        data = [(_header(Opcode.CONT, len(piece), fin=False), piece) for piece in event.data.pieces]
        last = _header(Opcode.CONT, len(behind), fin=True), behind
        pieces = (first, *data, last)
        return LargePayload(pieces, sum(len(buffer) for piece in pieces for buffer in piece))


@cache
def json_lines(language: Language) -> JsonLines:
    """Return the one encoder of its kind, so that its sinks share what it makes."""
    return JsonLines(language)


@cache
def websocket_frames(language: Language) -> WebSocketFrames:
    """Return the one encoder of its kind, so that its sinks share what it makes."""
    return WebSocketFrames(language)


def _in_one(payload: bytes) -> LargePayload:
    """Return a sound: small enough for one piece, and of no use to who is behind."""
    return LargePayload(((payload,),), len(payload), can_miss=True)


def _around(event: ImageShown | MusicPlayed, language: Language) -> tuple[bytes, bytes]:
    frame = to_frame(replace(event, data=Base64Text((), 0)), language)
    assert isinstance(frame, wire.Image | wire.Music)
    return wire.encode_around(frame)


def _header(opcode: Opcode, size_bytes: int, *, fin: bool) -> bytes:
    """Return what comes before a payload of *size_bytes* (RFC 6455 §5.2)."""
    first = (_FIN if fin else 0) | opcode
    if size_bytes < _IN_TWO_BYTES:
        return pack("!BB", first, size_bytes)
    if size_bytes < 1 << 16:
        return pack("!BBH", first, _IN_TWO_BYTES, size_bytes)
    return pack("!BBQ", first, _IN_EIGHT_BYTES, size_bytes)


def _or_unset(value: V | None) -> V | UnsetType:
    return UNSET if value is None else value
