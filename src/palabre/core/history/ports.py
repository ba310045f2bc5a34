"""What history needs from the outside."""

from collections.abc import AsyncIterator, Sequence
from datetime import date
from typing import Protocol

from palabre.core.history.model import Count, Day, DayPage, Line, Span, Swept, Wanted


class HistoryStore(Protocol):
    """Keeps the lines of the log so that they are found. All raise `StorageError`."""

    async def days(self, newest: int) -> Sequence[Day]:
        """Return the *newest* days of which something is kept, the newest first."""
        ...

    async def of_day(self, day: date, limit: int, offset: int) -> DayPage | None:
        """Return *limit* lines of *day* after *offset* of them; None if nothing of it is kept."""
        ...

    async def search(self, wanted: Wanted) -> Sequence[Line]:
        """Return the lines that hold what is *wanted*, the newest first."""
        ...

    def lines(self, span: Span) -> AsyncIterator[Sequence[Line]]:
        """Yield the lines of *span* in pieces, oldest first."""
        ...

    async def counts(self, newest: int) -> Sequence[Count]:
        """Return the counts of the *newest* days of which something is kept."""
        ...

    async def older(self, first_kept: date) -> Swept:
        """Return how much is kept of the days before *first_kept*."""
        ...

    async def forget(self, first_kept: date) -> Swept:
        """Delete all lines of the days before *first_kept*; return how many."""
        ...


class LogSource(Protocol):
    """Where lines come from, if not straight from those who keep what is said."""

    async def catch_up(self, within_s: float | None) -> bool:
        """Bring what was said by now into the store; raises `StorageError`.

        Returns:
            False when that took longer than *within_s* (None: as long as it takes): the newest
            days come first, and somebody else goes on.
        """
        ...

    async def days_before(self, first_kept: date) -> int:
        """Return of how many days before *first_kept* there are logs; raises `StorageError`."""
        ...

    async def delete_before(self, first_kept: date) -> None:
        """Delete the logs of the days before *first_kept*.

        Raises:
            StorageError: One cannot be deleted.
        """
        ...
