"""What chat needs from the outside."""

from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from typing import Protocol

from palabre.core.chat.model import (
    Backlog,
    ChannelStats,
    Event,
    LargeEvent,
    StoreTotals,
    Tidied,
    Utterance,
)
from palabre.kernel.ids import ChannelName

MAX_CONTEXT_CHARS = 2000
"""Characters of a text that the context keeps (seed 000 §5.2)."""


class SummarisedContext(Protocol):
    """Contexts in which a summary may stand for the oldest utterances.

    All raise `StorageError` when something cannot be read or written.
    """

    async def grown(self, size_bytes: int) -> list[ChannelName]:
        """Return the channels whose context takes *size_bytes* or more.

        Only those to which something was appended since the store was opened.
        """
        ...

    async def backlog(self, channel: ChannelName, share: float, min_entries: int) -> Backlog | None:
        """Return the oldest *share* (0 to 1) of a channel; None if it has too few utterances."""
        ...

    async def passage(
        self, backlog: Backlog, start: int, max_chars: int
    ) -> tuple[list[Utterance], int]:
        """Return utterances of *backlog* from position *start*, and the position behind them.

        As many as fit in *max_chars*, but one at least; none from the end of the backlog, or
        where the context is no longer what it was: the position is its end then.
        """
        ...

    async def compact(self, backlog: Backlog, summary: str, at: datetime) -> bool:
        """Let *summary*, made at the moment *at*, stand for *backlog* from now on.

        What it stands for goes to the archive. Appends go on meanwhile, and whatever happens,
        either nothing or all of it is done.

        Returns:
            False when the context is no longer what it was: nothing is done then.
        """
        ...

    async def tidy(self, max_bytes: int) -> Tidied:
        """Delete the oldest archives until all that is kept takes no more than *max_bytes*.

        Contexts themselves are never touched: there may be more left than that.
        """
        ...


class MessageStore(SummarisedContext, Protocol):
    """Keeps what is said: the day's log, and each channel's context.

    After `aclose`, all the others raise `StoreClosedError`.
    """

    async def append(self, utterance: Utterance) -> None:
        """Keep *utterance*; once this returns it survives the end of the process.

        Appends to one channel are kept, and return, in the order of their calls: what is told
        of a channel follows it. The context keeps the first `MAX_CONTEXT_CHARS` of a text, the
        moment in UTC to the millisecond, and U+FFFD for what UTF-8 cannot say; a database also
        for NUL.

        Raises:
            StorageError: It could not be kept (disk full, read-only).
        """
        ...

    async def latest(self, channel: ChannelName, count: int) -> list[Utterance]:
        """Return the newest *count* utterances, oldest first; empty for an unknown channel."""
        ...

    async def within(self, channel: ChannelName, budget_chars: int) -> list[Utterance]:
        """Return the newest utterances whose texts fit in *budget_chars*, oldest first.

        Where a summary stands for older ones it comes first, its end at least, of the kind
        `summary` and at most `summary_budget` characters long. Costs what it returns, however
        long the channel's history is.
        """
        ...

    async def stats(self, channel: ChannelName) -> ChannelStats:
        """Return the channel's counts."""
        ...

    async def totals(self) -> StoreTotals:
        """Return the counts over all channels."""
        ...

    async def aclose(self) -> None:
        """Write what is still in hand and close the files."""
        ...


@dataclass(frozen=True, slots=True)
class LargePayload:
    """The bytes that say one large event; all listeners share them.

    Attributes:
        pieces: In their order; nothing may come between the buffers of one piece.
        can_miss: Whether a listener that is behind is spared it.
    """

    pieces: tuple[tuple[bytes, ...], ...] = field(repr=False)
    size_bytes: int
    can_miss: bool = False

    @property
    def whole(self) -> bytes:
        """All of it in one; a copy where it is not that already."""
        return b"".join(chain.from_iterable(self.pieces))


class Encoder(Protocol):
    """Turns events into what the sinks of one kind write. Compared by identity."""

    def __call__(self, event: Event) -> bytes:
        """Return the bytes that say *event*; those of several can be joined as they are."""
        ...

    def large(self, event: LargeEvent) -> LargePayload:
        """Return what says *event*, without a copy of data that is in pieces."""
        ...


class Sink(Protocol):
    """One listener's end of the line."""

    @property
    def encoder(self) -> Encoder:
        """What this sink understands; sinks with the same encoder get the same bytes."""
        ...

    def write(self, payload: bytes, events: int) -> bool:
        """Hand over *payload*, which says so many *events*, without waiting.

        Returns:
            False when the listener is gone or so far behind that it will be given up.
        """
        ...

    def write_large(self, payload: LargePayload) -> bool:
        """Hand over *payload*, one event, without waiting; what is written next comes after it.

        Returns:
            As `write`; True where the listener is spared what it can miss.
        """
        ...

    def evict(self) -> None:
        """Give the listener up: close the line with 1013 if it still takes that, else cut it."""
        ...
