"""What chat needs from the outside."""

from typing import Protocol

from palabre.core.chat.model import ChannelStats, Event, StoreTotals, Utterance
from palabre.kernel.ids import ChannelName

MAX_CONTEXT_CHARS = 2000
"""Characters of a text that the context keeps (seed 000 §5.2)."""


class MessageStore(Protocol):
    """Keeps what is said: the day's log, and each channel's context.

    After `aclose`, all the others raise `StoreClosedError`.
    """

    async def append(self, utterance: Utterance) -> None:
        """Keep *utterance*; once this returns it survives the end of the process.

        Appends to one channel are kept, and return, in the order of their calls: what is told
        of a channel follows it. The context keeps the first `MAX_CONTEXT_CHARS` of a text, the
        moment in UTC to the millisecond, and U+FFFD for what UTF-8 cannot say.

        Raises:
            StorageError: It could not be kept (disk full, read-only).
        """
        ...

    async def latest(self, channel: ChannelName, count: int) -> list[Utterance]:
        """Return the newest *count* utterances, oldest first; empty for an unknown channel."""
        ...

    async def within(self, channel: ChannelName, budget_chars: int) -> list[Utterance]:
        """Return the newest utterances whose texts fit in *budget_chars*, oldest first.

        Costs what it returns, however long the channel's history is.
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


class Encoder(Protocol):
    """Turns events into what the sinks of one kind write. Compared by identity."""

    def __call__(self, event: Event) -> bytes:
        """Return the bytes that say *event*; those of several can be joined as they are."""
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

    def offer(self, payload: bytes) -> None:
        """Hand over *payload*, one event that the listener can do without.

        A listener that is behind is spared it.
        """
        ...

    def evict(self) -> None:
        """Give the listener up: close the line with 1013 if it still takes that, else cut it."""
        ...
