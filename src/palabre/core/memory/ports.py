"""Where memories are kept."""

from collections.abc import Callable
from typing import Protocol

from palabre.core.memory.model import Memory, Record
from palabre.kernel.ids import Nick, PersonaId

Edit = Callable[[Record], Record]
"""Returns what a record becomes, or the very same object where nothing changes. Pure."""


class MemoryStore(Protocol):
    """Keeps what personas remember; several programs may do so at once.

    *nick* finds the memory of an installation that kept it by nick.
    """

    async def recall(self, persona: PersonaId, nick: Nick) -> Memory:
        """Return what *persona* has in mind; an empty memory if nothing, or nothing readable."""
        ...

    async def record(self, persona: PersonaId, nick: Nick) -> Record:
        """Return all that is kept of *persona*; an empty record if nothing.

        Raises:
            StorageError: It cannot be read.
        """
        ...

    async def revise(self, persona: PersonaId, nick: Nick, edit: Edit) -> Record:
        """Replace the record by what *edit* makes of it, whole; return what is kept then.

        Nobody else changes it meanwhile. Once this returns, it outlives a power cut.

        Raises:
            StorageError: It cannot be read or written; the old one stays.
        """
        ...

    async def undo(self, persona: PersonaId, nick: Nick) -> Record | None:
        """Go back to the record before the last change; None when there is none to go back to.

        Each call goes back one change, as far as the store remembers.

        Raises:
            StorageError: As `revise`.
        """
        ...

    async def drop_history(self, persona: PersonaId) -> None:
        """Delete the records before the present one: nothing of them can be had back.

        Raises:
            StorageError: They cannot be deleted.
        """
        ...
