"""Memories for tests."""

from palabre.core.memory.model import Memory
from palabre.kernel.ids import Nick, PersonaId


class StaticMemoryStore:
    """Remembers what it was given, by the nick of the persona; the others remember nothing."""

    def __init__(self, **memories: Memory) -> None:
        self._memories = memories

    async def recall(self, persona: PersonaId, nick: Nick) -> Memory:  # noqa: ARG002 - the port's
        return self._memories.get(nick, Memory())
