"""Where memories are kept."""

from typing import Protocol

from palabre.core.memory.model import Memory
from palabre.kernel.ids import Nick, PersonaId


class MemoryStore(Protocol):
    """Keeps what personas remember."""

    async def recall(self, persona: PersonaId, nick: Nick) -> Memory:
        """Return what *persona* remembers; an empty memory if nothing.

        *nick* finds the memory of an installation that kept it by nick.
        """
        ...
