"""Ask what was said, and delete what is old."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, timedelta

from palabre.core.audit.model import Actor
from palabre.core.audit.ports import Ledger
from palabre.core.history.errors import LogNotFoundError, SearchTooLongError
from palabre.core.history.folding import SHORTEST, folded
from palabre.core.history.model import Count, Day, DayPage, Line, Span, Swept, Wanted
from palabre.core.history.ports import HistoryStore, LogSource
from palabre.kernel.clock import Clock

SHOWN_DAYS = 30
"""The newest of those of which something is kept (seed 000 §15)."""

MAX_SEARCH_CHARS = 200
DEFAULT_MAX_AGE_DAYS = 30
WAIT_S = 2.0
"""How long a question waits for logs to be read that are new."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found, the newest first.

    Attributes:
        is_complete: Whether all that was said by then was searched; logs may still be read.
        was_searched: Whether it was enough to search.
    """

    lines: Sequence[Line]
    is_complete: bool = True
    was_searched: bool = True


class History:
    """What was said, for those who may read it. Whatever is asked may raise `StorageError`."""

    def __init__(
        self, store: HistoryStore, ledger: Ledger, clock: Clock, source: LogSource | None = None
    ) -> None:
        self._store = store
        self._ledger = ledger
        self._clock = clock
        self._source = source

    async def days(self) -> Sequence[Day]:
        """Return the newest days."""
        await self._catch_up()
        return await self._store.days(SHOWN_DAYS)

    async def day(self, day: date, limit: int, offset: int) -> DayPage:
        """Return *limit* lines of *day*, oldest first, after *offset* of them.

        Raises:
            LogNotFoundError: Nothing is kept of it.
        """
        await self._catch_up()
        page = await self._store.of_day(day, limit, offset)
        if page is None:
            raise LogNotFoundError(date=day.isoformat())
        return page

    async def search(self, wanted: Wanted) -> Found:
        """Return the newest lines that hold what is *wanted*; none for less than two signs.

        Raises:
            SearchTooLongError: It is too much at once.
        """
        words = wanted.words.strip()
        if len(words) > MAX_SEARCH_CHARS:
            raise SearchTooLongError(max_chars=MAX_SEARCH_CHARS)
        if len(words) < SHORTEST or len(folded(words)) < SHORTEST:
            return Found((), was_searched=False)
        is_complete = await self._catch_up()
        asked = Wanted(words, wanted.limit, wanted.before_id, wanted.channel)
        return Found(await self._store.search(asked), is_complete)

    async def exported(self, span: Span) -> AsyncIterator[Sequence[Line]]:
        """Return the lines of *span* in pieces, oldest first, all that was said by now."""
        if self._source is not None:
            await self._source.catch_up(None)
        return self._store.lines(span)

    async def counts(self) -> Sequence[Count]:
        """Return the counts of the newest days."""
        await self._catch_up()
        return await self._store.counts(SHOWN_DAYS)

    async def sweepable(self, max_age_days: int) -> Swept:
        """Return what `sweep` would delete, as far as the logs were read."""
        await self._catch_up()
        return await self._older(self._first_kept(max_age_days))

    async def sweep(self, actor: Actor, max_age_days: int) -> Swept:
        """Delete what was said more than *max_age_days* (1 or more) days ago; never today's.

        It is in the book before anything is deleted, and may be done again after a fault.
        """
        first_kept = self._first_kept(max_age_days)
        old = await self._older(first_kept)
        async with self._ledger.recording(actor, "retention.sweep", "chat-logs") as change:
            change.before = {"days": old.days, "messages": old.messages}
            change.after = {"maxAgeDays": max_age_days, "firstKept": first_kept.isoformat()}
        if self._source is not None:
            await self._source.delete_before(first_kept)
        gone = await self._store.forget(first_kept)
        return Swept(old.days, gone.messages)

    async def _older(self, first_kept: date) -> Swept:
        kept = await self._store.older(first_kept)
        files = await self._source.days_before(first_kept) if self._source is not None else 0
        return Swept(max(kept.days, files), kept.messages)

    def _first_kept(self, max_age_days: int) -> date:
        return self._clock.now().astimezone(UTC).date() - timedelta(days=max(1, max_age_days))

    async def _catch_up(self) -> bool:
        return self._source is None or await self._source.catch_up(WAIT_S)
