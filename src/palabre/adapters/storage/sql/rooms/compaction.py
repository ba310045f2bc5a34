"""Let a summary stand for a channel's oldest lines, and delete such lines when it is too much.

Lines do not move: a row of `archives` says which they are, and the context begins behind them.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.moments import to_ms
from palabre.adapters.storage.sql.rooms.lines import is_of
from palabre.adapters.storage.sql.schema.rooms import ARCHIVES, CONTEXT_LINES, CONTEXTS
from palabre.adapters.storage.sql.signs import sayable
from palabre.core.chat.model import Backlog, Tidied


async def compact(database: Database, backlog: Backlog, summary: str, at: datetime) -> bool:
    """Do it in one transaction; False when the context is no longer the one of *backlog*.

    Raises:
        StorageError: The database fails; nothing changed.
    """
    which = CONTEXTS.c.channel == backlog.channel
    async with database.writing() as connection:
        found = await connection.execute(select(CONTEXTS).where(which).with_for_update())
        if not is_of(found.one_or_none(), backlog):
            return False
        after_id = int(backlog.token)
        last_id = after_id + backlog.end
        chars, size_bytes = await _measured(connection, backlog, after_id, last_id)
        archive = {
            "channel": backlog.channel,
            "after_id": after_id,
            "last_id": last_id,
            "at_ms": to_ms(at),
            "entries": backlog.entries,
            "size_bytes": size_bytes,
        }
        await connection.execute(insert(ARCHIVES).values(archive))
        changes: dict[str, Any] = {
            "messages": CONTEXTS.c.messages - backlog.entries,
            "chars": CONTEXTS.c.chars - chars,
            "size_bytes": CONTEXTS.c.size_bytes - size_bytes,
            "archived_to": last_id,
            "summary": sayable(summary),
            "compacted_entries": CONTEXTS.c.compacted_entries + backlog.entries,
            "compactions": CONTEXTS.c.compactions + 1,
            "compacted_at_ms": to_ms(at),
        }
        await connection.execute(update(CONTEXTS).where(which).values(changes))
        return True


async def tidy(database: Database, max_bytes: int) -> Tidied:
    """Delete the oldest archives until all that is kept takes no more than *max_bytes*.

    Raises:
        StorageError: The database fails.
    """
    deleted = 0
    while (size_bytes := await database.read(_size_bytes)) > max_bytes:
        if not await _drop_oldest(database):
            break
        deleted += 1
    return Tidied(size_bytes, deleted)


async def _drop_oldest(database: Database) -> bool:
    async with database.writing() as connection:
        oldest = select(ARCHIVES).order_by(ARCHIVES.c.id).limit(1).with_for_update()
        archive = (await connection.execute(oldest)).one_or_none()
        if archive is None:
            return False
        lines = _between(archive.channel, archive.after_id, archive.last_id)
        await connection.execute(delete(CONTEXT_LINES).where(lines))
        await connection.execute(delete(ARCHIVES).where(ARCHIVES.c.id == archive.id))
        return True


async def _measured(
    connection: AsyncConnection, backlog: Backlog, after_id: int, last_id: int
) -> tuple[int, int]:
    chars = func.coalesce(func.sum(func.length(CONTEXT_LINES.c.text)), 0)
    size_bytes = func.coalesce(func.sum(CONTEXT_LINES.c.size_bytes), 0)
    measured = select(chars, size_bytes).where(_between(backlog.channel, after_id, last_id))
    found = (await connection.execute(measured)).one()
    return int(found[0]), int(found[1])


def _between(channel: str, after_id: int, last_id: int) -> ColumnElement[bool]:
    lines = CONTEXT_LINES.c
    return (lines.channel == channel) & (lines.id > after_id) & (lines.id <= last_id)


def _size_bytes(connection: Connection) -> int:
    sums = [select(func.sum(table.c.size_bytes)) for table in (CONTEXTS, ARCHIVES)]
    return sum(int(connection.execute(each).scalar() or 0) for each in sums)
