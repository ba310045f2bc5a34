"""`HistoryStore` in SQLite or Postgres."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from sqlalchemy import Connection, Row, Select, func, select

from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.history.postgres_search import postgres_search
from palabre.adapters.storage.sql.history.rows import end_id, first_id, name_kept
from palabre.adapters.storage.sql.history.sqlite_search import sqlite_search
from palabre.adapters.storage.sql.history.writing import delete_piece
from palabre.adapters.storage.sql.moments import from_ms
from palabre.adapters.storage.sql.schema.history import LOG_FILES, MESSAGE_COUNTS, MESSAGES
from palabre.core.history.model import Count, Day, DayPage, Line, Span, Swept, Wanted

PIECE = 500
"""Lines that are read at once."""

READERS = 2
"""Who read pieces of what they export at the same time: connections and threads are few."""

_ONE_DAY = timedelta(days=1)
_FIRST = date.min


class SqlHistoryStore:
    """What was said, in the database; it does not close it."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._turns = asyncio.Semaphore(READERS)
        self._find = sqlite_search if database.address.is_sqlite else postgres_search

    async def days(self, newest: int) -> Sequence[Day]:
        count, size = func.sum(MESSAGE_COUNTS.c["count"]), func.sum(MESSAGE_COUNTS.c.size_bytes)
        wanted = select(MESSAGE_COUNTS.c.day, count.label("lines"), size.label("size_bytes"))
        wanted = wanted.group_by(MESSAGE_COUNTS.c.day).order_by(MESSAGE_COUNTS.c.day.desc())
        rows = await self._rows(wanted.limit(newest))
        return [Day(date.fromisoformat(r.day), int(r.lines), int(r.size_bytes)) for r in rows]

    async def of_day(self, day: date, limit: int, offset: int) -> DayPage | None:
        total = select(func.sum(MESSAGE_COUNTS.c["count"]))
        (row,) = await self._rows(total.where(MESSAGE_COUNTS.c.day == day.isoformat()))
        if not row[0]:
            return None
        wanted = _between(day, day).order_by(MESSAGES.c.id).limit(limit).offset(offset)
        return DayPage(await self._database.read(_lines, wanted), int(row[0]))

    async def search(self, wanted: Wanted) -> Sequence[Line]:
        channel = None if wanted.channel is None else name_kept(wanted.channel)
        return await self._database.read(self._search, replace(wanted, channel=channel))

    async def lines(self, span: Span) -> AsyncGenerator[Sequence[Line]]:
        last_id = first_id(span.since or _FIRST) - 1
        inside = MESSAGES.c.channel == name_kept(span.channel)
        wanted = _between(span.since, span.until).where(inside)
        wanted = wanted.order_by(MESSAGES.c.id).limit(PIECE)
        while lines := await self._read_piece(wanted.where(MESSAGES.c.id > last_id)):
            yield lines
            last_id = lines[-1].id

    async def counts(self, newest: int) -> Sequence[Count]:
        days = select(MESSAGE_COUNTS.c.day).distinct().order_by(MESSAGE_COUNTS.c.day.desc())
        table = MESSAGE_COUNTS.c
        wanted = select(table.day, table.kind, table.nick, table["count"].label("lines"))
        wanted = wanted.where(table.day.in_(days.limit(newest))).order_by(table.day.desc())
        rows = await self._rows(wanted)
        return [Count(date.fromisoformat(r.day), r.kind, r.nick, r.lines) for r in rows]

    async def older(self, first_kept: date) -> Swept:
        is_old = MESSAGE_COUNTS.c.day < first_kept.isoformat()
        days = func.count(MESSAGE_COUNTS.c.day.distinct()).label("days")
        lines = func.coalesce(func.sum(MESSAGE_COUNTS.c["count"]), 0).label("lines")
        (row,) = await self._rows(select(days, lines).where(is_old))
        return Swept(int(row.days), int(row.lines))

    async def forget(self, first_kept: date) -> Swept:
        days, messages = (await self.older(first_kept)).days, 0
        while True:
            async with self._database.writing() as connection:
                count = await delete_piece(connection, _FIRST, first_kept - _ONE_DAY)
                if not count:
                    gone = LOG_FILES.c.day < first_kept.isoformat()
                    await connection.execute(LOG_FILES.delete().where(gone))
                    return Swept(days, messages)
            messages += count

    async def _read_piece(self, wanted: Select[Any]) -> list[Line]:
        async with self._turns:
            return await self._database.read(_lines, wanted)

    def _search(self, connection: Connection, wanted: Wanted) -> list[Line]:
        return [line_of(row) for row in self._find(connection, wanted)]

    async def _rows(self, wanted: Select[Any]) -> Sequence[Row[Any]]:
        return await self._database.read(_all, wanted)


def line_of(row: Row[Any]) -> Line:
    """Return the line that a row of `messages` is."""
    return Line(
        id=row.id,
        day=date.fromisoformat(row.day),
        at=from_ms(row.at_ms),
        channel=row.channel,
        nick=row.nick,
        kind=row.kind,
        text=row.text,
    )


def _all(connection: Connection, wanted: Select[Any]) -> Sequence[Row[Any]]:
    return connection.execute(wanted).all()


def _lines(connection: Connection, wanted: Select[Any]) -> list[Line]:
    return [line_of(row) for row in connection.execute(wanted)]


def _between(since: date | None, until: date | None) -> Select[Any]:
    wanted = select(MESSAGES)
    if since is not None:
        wanted = wanted.where(MESSAGES.c.id >= first_id(since))
    if until is not None:
        wanted = wanted.where(MESSAGES.c.id < end_id(until))
    return wanted
