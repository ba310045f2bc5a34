"""What stands in the message log."""

from dataclasses import dataclass
from enum import Enum, auto


class Kind(Enum):
    """What an entry is, which decides how it looks."""

    MESSAGE = auto()
    SYSTEM = auto()
    JOIN = auto()
    PART = auto()
    MEDIA = auto()
    CUT = auto()
    NOTE = auto()
    DIVIDER = auto()


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that was said or that happened. Its texts are clean.

    Attributes:
        text: Its words. Of a DIVIDER: a channel with its `#`, or `history` or `now`.
        id: Counts from 1 in a session; never reused.
        nick: Who; empty when nobody in particular.
        color: `#rrggbb`, or empty for the theme's own.
        hour: `HH:MM` where the reader lives.
        mentions_me: Somebody else called the reader by name.
        reply_id: The server's name for a persona's answer; empty for what cannot be judged.
        vote: The reader's thumb: `up`, `down`, or empty.
        pinned: The reader pinned it.
    """

    id: int
    kind: Kind
    text: str
    hour: str
    nick: str = ""
    color: str = ""
    mentions_me: bool = False
    reply_id: str = ""
    vote: str = ""
    pinned: bool = False


@dataclass(frozen=True, slots=True)
class Draft:
    """A reply that is still growing.

    Attributes:
        text: As it came: an escape sequence may be spread over chunks, so clean the whole.
        seq: Count of its last chunk.
        whole: We saw its first chunk.
    """

    nick: str
    color: str
    text: str
    hour: str
    seq: int
    whole: bool
