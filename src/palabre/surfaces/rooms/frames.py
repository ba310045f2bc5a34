"""Say events in the words of the rooms protocol (seed 000 §5.7)."""

from functools import cache
from typing import TypeVar, assert_never

from msgspec import UNSET, UnsetType
from websockets.frames import Frame, Opcode

from palabre.core.chat.model import (
    ChannelEntered,
    DisplayCleared,
    Event,
    ImageShown,
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
from palabre.kernel.text import text
from palabre.texts import Language, say
from palabre.wire import rooms as wire

CLEAR = "__clear__"

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
            return wire.Image(nick, say(caption, language), data, mime, _or_unset(seq))
        case MusicPlayed(nick, caption, data, mime, seq):
            return wire.Music(nick, say(caption, language), data, mime, _or_unset(seq))
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


class WebSocketFrames:
    """Encodes events as whole WebSocket text frames, ready for the socket (RFC 6455 §5.2).

    A server's frames carry no mask, so the same bytes are right for every client.
    """

    def __init__(self, language: Language) -> None:
        self._language = language

    def __call__(self, event: Event) -> bytes:
        payload = wire.encode(to_frame(event, self._language))
        return Frame(Opcode.TEXT, payload).serialize(mask=False)


@cache
def json_lines(language: Language) -> JsonLines:
    """Return the one encoder of its kind, so that its sinks share what it makes."""
    return JsonLines(language)


@cache
def websocket_frames(language: Language) -> WebSocketFrames:
    """Return the one encoder of its kind, so that its sinks share what it makes."""
    return WebSocketFrames(language)


def _or_unset(value: V | None) -> V | UnsetType:
    return UNSET if value is None else value
