"""Memories for tests."""

from collections import defaultdict

from palabre.core.memory.model import Memory, Record
from palabre.core.memory.ports import Edit
from palabre.kernel.errors import StorageError
from palabre.kernel.ids import Nick, PersonaId


class StaticMemoryStore:
    """Remembers what it was given, by the nick of the persona, and what it is told since.

    Attributes:
        refusal: While not None, why nothing can be changed.
    """

    def __init__(self, **memories: Memory) -> None:
        self.refusal: str | None = None
        self._given = memories
        self._records: dict[PersonaId, Record] = {}
        self._before: defaultdict[PersonaId, list[Record]] = defaultdict(list)

    async def recall(self, persona: PersonaId, nick: Nick) -> Memory:
        return (await self.record(persona, nick)).memory

    async def record(self, persona: PersonaId, nick: Nick) -> Record:
        return self._records.get(persona) or self._first(persona, nick)

    async def revise(self, persona: PersonaId, nick: Nick, edit: Edit) -> Record:
        if self.refusal is not None:
            raise StorageError(detail=self.refusal)
        present = await self.record(persona, nick)
        changed = edit(present)
        if changed is not present:
            self._before[persona].append(present)
            self._records[persona] = changed
        return changed

    async def undo(self, persona: PersonaId, nick: Nick) -> Record | None:  # noqa: ARG002
        if not self._before[persona]:
            return None
        self._records[persona] = self._before[persona].pop()
        return self._records[persona]

    async def drop_history(self, persona: PersonaId) -> None:
        self._before[persona].clear()

    def _first(self, persona: PersonaId, nick: Nick) -> Record:
        given = self._given.get(nick, Memory())
        return Record(persona, nick, given.facts, given.summary, updated_at=given.updated_at)
