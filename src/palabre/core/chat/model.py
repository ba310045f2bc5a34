"""What a room is made of: the events that its listeners get."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from palabre.core.media.base64_text import Base64Text
from palabre.kernel.ids import ChannelName, Nick, ReplyId
from palabre.kernel.text import Text

HUMAN_COLOR = "#e0e0e0"
"""Colour of what people say (seed 000 §5.6)."""

UNKNOWN_COLOR = "#888888"
"""Colour of a replayed author who is no persona now (seed 000 §5.2)."""


@dataclass(frozen=True, slots=True)
class MessagePosted:
    """Somebody said something.

    Attributes:
        author: A person's or a persona's nick.
        color: `#rrggbb`.
        reply_id: The reply that this message ends; None for people and for replayed messages.
        seq: Place in the channel's log; None when it is told to one listener only.
    """

    author: Nick
    text: str
    color: str
    reply_id: ReplyId | None = None
    seq: int | None = None


@dataclass(frozen=True, slots=True)
class ReplyGrew:
    """A reply grew by *text*; *number* counts from 1 in each reply. Never stored."""

    author: Nick
    text: str
    color: str
    number: int
    reply_id: ReplyId


@dataclass(frozen=True, slots=True)
class NoticeGiven:
    """The room itself says something. *reply_id* tells which reply it is about, if any."""

    text: Text
    reply_id: ReplyId | None = None
    seq: int | None = None


@dataclass(frozen=True, slots=True)
class MemberJoined:
    """*nick* came into *channel*."""

    nick: Nick
    channel: ChannelName
    seq: int | None = None


@dataclass(frozen=True, slots=True)
class MemberParted:
    """*nick* left *channel*."""

    nick: Nick
    channel: ChannelName
    seq: int | None = None


@dataclass(frozen=True, slots=True)
class RosterListed:
    """Who is here: people in the order of their coming, then personas."""

    nicks: tuple[Nick, ...]
    seq: int | None = None


@dataclass(frozen=True, slots=True)
class PersonaIntroduced:
    """A persona and its colour; told to a newcomer."""

    nick: Nick
    color: str
    seq: int | None = None


@dataclass(frozen=True, slots=True)
class ChannelEntered:
    """The listener is in *channel* now."""

    channel: ChannelName
    seq: int | None = None


@dataclass(frozen=True, slots=True)
class DisplayCleared:
    """Empty the display."""

    seq: int | None = None


@dataclass(frozen=True, slots=True)
class SentenceSpoken:
    """A persona is heard: one sentence of a reply, as a WAV in base64.

    Attributes:
        reply_id: The reply that it belongs to.
        number: Place among the sentences of that reply, from 1.
    """

    author: Nick
    data: str
    reply_id: ReplyId
    number: int
    mime: str = "audio/wav"
    seq: int | None = None


@dataclass(frozen=True, slots=True)
class ImageShown:
    """A picture was made for *author*."""

    author: Nick
    caption: Text
    data: Base64Text
    mime: str
    seq: int | None = None


@dataclass(frozen=True, slots=True)
class MusicPlayed:
    """A piece of music was made for *author*."""

    author: Nick
    caption: Text
    data: Base64Text
    mime: str
    seq: int | None = None


@dataclass(frozen=True, slots=True)
class UploadAllowed:
    """The listener may hand in files elsewhere by this *ticket*."""

    ticket: str
    max_bytes: int
    seq: int | None = None


Event = (
    MessagePosted
    | ReplyGrew
    | NoticeGiven
    | MemberJoined
    | MemberParted
    | RosterListed
    | PersonaIntroduced
    | ChannelEntered
    | DisplayCleared
    | SentenceSpoken
    | ImageShown
    | MusicPlayed
    | UploadAllowed
)


LargeEvent = SentenceSpoken | ImageShown | MusicPlayed
"""Too large to be joined with others."""


@dataclass(frozen=True, slots=True)
class Utterance:
    """What is kept of one thing said in a channel.

    Attributes:
        kind: `message` for people and personas, `system` for the room's own lines, `summary` for
            what stands for all that was said before; that is never told, nor kept as a line.
    """

    at: datetime
    channel: ChannelName
    nick: Nick
    text: str
    kind: Literal["message", "system", "summary"] = field(default="message")


@dataclass(frozen=True, slots=True)
class Backlog:
    """The oldest utterances of a channel, for which a summary is to stand.

    Attributes:
        entries: How many they are.
        end: The position behind the last one; the first is at 0.
        token: What the store knows them by.
        summary: What stands for those before them; empty if nothing does.
    """

    channel: ChannelName
    entries: int
    end: int
    token: str
    summary: str = ""


@dataclass(frozen=True, slots=True)
class Tidied:
    """How much lies in contexts and archives, and how many archives were deleted."""

    size_bytes: int = 0
    deleted: int = 0


@dataclass(frozen=True, slots=True)
class ChannelStats:
    """How much of a channel is kept as context.

    Attributes:
        messages: Utterances in the store.
        chars: Characters of their texts.
        compacted_entries: Utterances that a summary stands for.
        compactions: How often the channel was summarised.
        compacted_at: When it was last summarised; None if never.
    """

    messages: int = 0
    chars: int = 0
    compacted_entries: int = 0
    compactions: int = 0
    compacted_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class StoreTotals:
    """How much is kept over all channels."""

    channels: int = 0
    size_bytes: int = 0
