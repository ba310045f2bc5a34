"""Add lines, and delete them, in a transaction of whoever does."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, date

from sqlalchemy import Insert, delete, func, insert, select, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from palabre.adapters.storage.sql.history.rows import Batch, NumberedLine, end_id, first_id
from palabre.adapters.storage.sql.history.sqlite_words import add_words, entry, remove_words
from palabre.adapters.storage.sql.schema.history import MESSAGE_COUNTS, MESSAGES
from palabre.core.history.model import NewLine

PIECE = 500
"""Rows that are deleted in one transaction."""

_NUMBERS = text("SELECT nextval('message_numbers') FROM generate_series(1, :count)")


async def add_lines(connection: AsyncConnection, lines: Sequence[NewLine]) -> list[int]:
    """Add *lines*, which come in their order; return their ids. Call it once a transaction."""
    numbered = await _numbered(connection, lines)
    await put_lines(connection, numbered)
    return [each.id for each in numbered]


async def put_lines(connection: AsyncConnection, numbered: Sequence[NumberedLine]) -> None:
    """Add lines whose ids are known, and are not there yet."""
    if not numbered:
        return
    is_sqlite = connection.dialect.name == "sqlite"
    batch = await asyncio.to_thread(Batch.of, numbered, with_words=is_sqlite)
    await connection.execute(insert(MESSAGES), batch.rows)
    if batch.words:
        await add_words(connection, batch.words)
    await connection.execute(_upsert(connection), batch.counts)


async def delete_piece(connection: AsyncConnection, first: date, last: date) -> int:
    """Delete some lines of the days from *first* to *last*; return how many, 0 at last."""
    days = MESSAGE_COUNTS.c.day.between(first.isoformat(), last.isoformat())
    await connection.execute(delete(MESSAGE_COUNTS).where(days))
    inside = (MESSAGES.c.id >= first_id(first)) & (MESSAGES.c.id < end_id(last))
    piece = select(MESSAGES.c.id, MESSAGES.c.folded, MESSAGES.c.channel).where(inside)
    rows = (await connection.execute(piece.order_by(MESSAGES.c.id).limit(PIECE))).all()
    if not rows:
        return 0
    if connection.dialect.name == "sqlite":
        words = await asyncio.to_thread(lambda: [entry(*row) for row in rows])
        await remove_words(connection, words)
    await connection.execute(delete(MESSAGES).where(inside & (MESSAGES.c.id <= rows[-1].id)))
    return len(rows)


async def _numbered(connection: AsyncConnection, lines: Sequence[NewLine]) -> list[NumberedLine]:
    days = [line.at.astimezone(UTC).date() for line in lines]
    if connection.dialect.name == "postgresql":
        numbers = sorted(await connection.scalars(_NUMBERS, {"count": len(lines)}))
        ids = [first_id(day) + number for day, number in zip(days, numbers, strict=True)]
    else:
        newest = {day: await _newest_id(connection, day) for day in sorted(set(days))}
        ids = [_next(newest, day) for day in days]
    return [NumberedLine(each, line) for each, line in zip(ids, lines, strict=True)]


def _next(newest: dict[date, int], day: date) -> int:
    newest[day] += 1
    return newest[day]


async def _newest_id(connection: AsyncConnection, day: date) -> int:
    low, high = first_id(day), end_id(day)
    newest = select(func.max(MESSAGES.c.id)).where(MESSAGES.c.id >= low, MESSAGES.c.id < high)
    found = await connection.scalar(newest)
    return low if found is None else found


def _upsert(connection: AsyncConnection) -> Insert:
    """Return what adds to a count; whoever runs it goes by the order of the keys."""
    is_postgres = connection.dialect.name == "postgresql"
    new = (postgresql if is_postgres else sqlite).insert(MESSAGE_COUNTS)
    table = MESSAGE_COUNTS.c
    added: Insert = new.on_conflict_do_update(
        index_elements=[table.day, table.kind, table.nick],
        set_={
            "count": table["count"] + new.excluded["count"],
            "size_bytes": table.size_bytes + new.excluded.size_bytes,
        },
    )
    return added
