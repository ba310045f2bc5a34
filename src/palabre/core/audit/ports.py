"""Where changes are written down."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from palabre.core.audit.model import Actor, Change, Entry, EntryFilter


class Ledger(Protocol):
    """Keeps the book of changes."""

    def recording(
        self, actor: Actor, action: str, target: str
    ) -> AbstractAsyncContextManager[Change]:
        """Give a change to be filled in; it is written down when the block ends well.

        What stores of the same database do inside the block is kept together with the entry, or
        not at all. An error leaves no entry. The block is short: nobody else writes meanwhile.

        Raises:
            StorageError: It could not be written down; nothing was changed.
        """
        ...

    async def entries(self, wanted: EntryFilter, limit: int) -> Sequence[Entry]:
        """Return the newest *limit* entries that are wanted, newest first."""
        ...

    def pages(self) -> AsyncGenerator[Sequence[Entry]]:
        """Yield the whole book, oldest first, some hundreds of entries at once.

        Raises:
            StorageError: It cannot be read.
        """
        ...
