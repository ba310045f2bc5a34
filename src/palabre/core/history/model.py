"""Lines of the log of what was said, and what can be asked about them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

MESSAGE = "message"
SYSTEM = "system"
RAW = "raw"
"""Kind of a line that makes no sense; its text is the line itself."""


@dataclass(frozen=True, slots=True)
class NewLine:
    """One line as it comes.

    Attributes:
        at: Aware; when it was said.
        channel: With its `#`.
        kind: `message`, `system`, `raw`, or what another program wrote.
        size_bytes: What it takes in the log, or would take.
    """

    at: datetime
    channel: str
    nick: str
    kind: str
    text: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Line:
    """One line that is kept.

    Attributes:
        id: Grows with time; unique among all days.
    """

    id: int
    day: date
    at: datetime
    channel: str
    nick: str
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Day:
    """How much of one day (UTC) is kept."""

    date: date
    lines: int
    size_bytes: int


@dataclass(frozen=True, slots=True)
class DayPage:
    """Some lines of a day, oldest first, of *total*."""

    lines: Sequence[Line]
    total: int


@dataclass(frozen=True, slots=True)
class Count:
    """How many lines of one kind one author has on one day."""

    date: date
    kind: str
    nick: str
    count: int


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is searched.

    Attributes:
        words: To be found in a text or a nick, whatever their case and accents.
        before_id: Only what is older than this line; None for all.
        channel: With its `#`; None for all.
    """

    words: str
    limit: int
    before_id: int | None = None
    channel: str | None = None


@dataclass(frozen=True, slots=True)
class Span:
    """Lines of a channel to be exported: those from *since* to *until*, both included."""

    channel: str
    since: date | None = None
    until: date | None = None


@dataclass(frozen=True, slots=True)
class Swept:
    """What was, or would be, deleted."""

    days: int = 0
    messages: int = 0
