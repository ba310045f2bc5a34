"""`MemoryStore` that is followed by another."""

from palabre.adapters.storage.mirrored.failures import forgiven
from palabre.core.memory.model import Memory, Record
from palabre.core.memory.ports import Edit, MemoryStore
from palabre.core.telemetry.ports import Telemetry
from palabre.kernel.ids import Nick, PersonaId


class MirroredMemoryStore:
    """Answers from *store*; *mirror* gets each record that changes, whole."""

    def __init__(self, store: MemoryStore, mirror: MemoryStore, telemetry: Telemetry) -> None:
        self._store = store
        self._mirror = mirror
        self._telemetry = telemetry

    async def recall(self, persona: PersonaId, nick: Nick) -> Memory:
        return await self._store.recall(persona, nick)

    async def record(self, persona: PersonaId, nick: Nick) -> Record:
        return await self._store.record(persona, nick)

    async def revise(self, persona: PersonaId, nick: Nick, edit: Edit) -> Record:
        record = await self._store.revise(persona, nick, edit)
        await self._follow(record)
        return record

    async def undo(self, persona: PersonaId, nick: Nick) -> Record | None:
        record = await self._store.undo(persona, nick)
        if record is not None:
            await self._follow(record)
        return record

    async def drop_history(self, persona: PersonaId) -> None:
        await self._store.drop_history(persona)
        with forgiven(self._telemetry, "the end of memories"):
            await self._mirror.drop_history(persona)

    async def _follow(self, record: Record) -> None:
        with forgiven(self._telemetry, "a memory"):
            await self._mirror.revise(
                record.persona, record.nick, lambda old: old if old == record else record
            )
