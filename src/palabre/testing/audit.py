"""A book of changes in memory."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

from palabre.core.audit.chain import next_entry
from palabre.core.audit.model import Actor, Change, Entry, EntryFilter
from palabre.kernel.clock import Clock


class MemoryLedger:
    """`Ledger` in memory.

    Attributes:
        book: All entries, oldest first.
    """

    def __init__(self, clock: Clock) -> None:
        self.book: list[Entry] = []
        self._clock = clock

    @asynccontextmanager
    async def recording(self, actor: Actor, action: str, target: str) -> AsyncGenerator[Change]:
        change = Change(actor, action, target)
        yield change
        newest = self.book[-1] if self.book else None
        self.book.append(next_entry(change, self._clock.now(), newest))

    async def entries(self, wanted: EntryFilter, limit: int) -> Sequence[Entry]:
        return [each for each in reversed(self.book) if _is_wanted(each, wanted)][:limit]

    async def pages(self) -> AsyncGenerator[Sequence[Entry]]:
        for start in range(0, len(self.book), 2):
            yield self.book[start : start + 2]


def _is_wanted(entry: Entry, wanted: EntryFilter) -> bool:
    older = wanted.before_number is None or entry.number < wanted.before_number
    pairs = (
        (wanted.action, entry.action),
        (wanted.actor, entry.actor.name),
        (wanted.target, entry.target),
    )
    return older and all(value in {"", found} for value, found in pairs)
