"""`MemoryStore` in SQLite or Postgres: each record is the JSON of the file of seed 000 §11."""

import logging
from collections.abc import Sequence

import msgspec
from sqlalchemy import delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from palabre.adapters.storage.json_memories.history import MAX_KEPT
from palabre.adapters.storage.json_memories.record_file import read_record, write_record
from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.inserting import ignoring_insert
from palabre.adapters.storage.sql.schema.rooms import MEMORIES, MEMORY_HISTORY
from palabre.core.memory.errors import MemoryUnusableError
from palabre.core.memory.model import Memory, Record
from palabre.core.memory.ports import Edit
from palabre.kernel.errors import StorageError
from palabre.kernel.ids import Nick, PersonaId

_log = logging.getLogger(__name__)


class SqlMemoryStore:
    """Keeps each persona's record and the records before it; it does not close the database."""

    def __init__(self, database: Database, *, compat_facts: int = 20) -> None:
        """Use *database*; earlier programs are shown *compat_facts* facts in what is exported."""
        self._database = database
        self._compat_facts = compat_facts

    async def recall(self, persona: PersonaId, nick: Nick) -> Memory:
        try:
            return (await self.record(persona, nick)).memory
        except StorageError as error:
            _log.warning("memory not readable: %s: %s", persona, error.data)
            return Memory()

    async def record(self, persona: PersonaId, nick: Nick) -> Record:
        wanted = select(MEMORIES.c.content).where(MEMORIES.c.persona == persona)
        async with self._database.reading() as connection:
            content = await connection.scalar(wanted)
        return _read(content or "", persona, nick)

    async def revise(self, persona: PersonaId, nick: Nick, edit: Edit) -> Record:
        async with self._database.writing() as connection:
            content = await _held(connection, persona)
            present = _read(content, persona, nick)
            record = edit(present)
            if record is present:
                return record
            before = content.encode() or write_record(present, self._compat_facts, None)
            await _push(connection, persona, before.decode())
            after = write_record(record, self._compat_facts, before).decode()
            await _put(connection, persona, after)
            return record

    async def undo(self, persona: PersonaId, nick: Nick) -> Record | None:
        newest = select(MEMORY_HISTORY).where(MEMORY_HISTORY.c.persona == persona)
        newest = newest.order_by(MEMORY_HISTORY.c.id.desc()).limit(1)
        async with self._database.writing() as connection:
            await _held(connection, persona)
            row = (await connection.execute(newest)).one_or_none()
            if row is None:
                return None
            record = _read(row.content, persona, nick)
            await _put(connection, persona, row.content)
            await connection.execute(delete(MEMORY_HISTORY).where(MEMORY_HISTORY.c.id == row.id))
            return record

    async def drop_history(self, persona: PersonaId) -> None:
        async with self._database.writing() as connection:
            of_persona = MEMORY_HISTORY.c.persona == persona
            await connection.execute(delete(MEMORY_HISTORY).where(of_persona))

    async def take_over(
        self, persona: PersonaId, content: str, history: Sequence[str] = ()
    ) -> bool:
        """Keep *content*, the JSON of a record, if nothing is kept of *persona*; say whether.

        *history* are the records before it, the oldest first.
        """
        async with self._database.writing() as connection:
            if await _held(connection, persona):
                return False
            for before in history:
                await _push(connection, persona, before)
            await _put(connection, persona, content)
            return True


async def _held(connection: AsyncConnection, persona: PersonaId) -> str:
    """Return what is kept of *persona*, and keep others away from it until the transaction ends."""
    # A row that is not there cannot be held.
    first = ignoring_insert(connection, MEMORIES).values(persona=persona, content="")
    await connection.execute(first)
    wanted = select(MEMORIES.c.content).where(MEMORIES.c.persona == persona).with_for_update()
    return str((await connection.execute(wanted)).scalar_one())


async def _put(connection: AsyncConnection, persona: PersonaId, content: str) -> None:
    of_persona = MEMORIES.c.persona == persona
    await connection.execute(update(MEMORIES).where(of_persona).values(content=content))


async def _push(connection: AsyncConnection, persona: PersonaId, content: str) -> None:
    """Keep *content*, which is about to be replaced; the oldest make room."""
    history = MEMORY_HISTORY.c
    adding = insert(MEMORY_HISTORY).values(persona=persona, content=content)
    await connection.execute(adding)
    kept = select(history.id).where(history.persona == persona).order_by(history.id.desc())
    oldest = (await connection.scalars(kept.offset(MAX_KEPT - 1).limit(1))).one_or_none()
    if oldest is not None:
        surplus = (history.persona == persona) & (history.id < oldest)
        await connection.execute(delete(MEMORY_HISTORY).where(surplus))


def _read(content: str, persona: PersonaId, nick: Nick) -> Record:
    if not content:
        return Record(persona, nick)
    try:
        return read_record(content.encode(), persona, nick)
    except (msgspec.MsgspecError, RecursionError) as fault:
        raise MemoryUnusableError(detail=str(fault)) from fault
