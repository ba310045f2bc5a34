"""How far the logs of days were read; lines and offset change together."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from sqlalchemy import ColumnElement, Select, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.history.rows import NumberedLine, first_id
from palabre.adapters.storage.sql.history.writing import delete_piece, put_lines
from palabre.adapters.storage.sql.inserting import ignoring_insert
from palabre.adapters.storage.sql.schema.history import LOG_FILES
from palabre.core.history.model import NewLine

EMPTYING = -1
"""Instead of a number of lines: those that are there are being deleted."""

PAUSE_S = 0.005
"""Between two pieces, so that others come to write."""


@dataclass(frozen=True, slots=True)
class Offset:
    """How far a day's log was read.

    Attributes:
        bytes: Up to here.
        lines: So many; `EMPTYING` while the day is to be begun again.
        print: Of the file up to here.
    """

    bytes: int = 0
    lines: int = 0
    print: str = ""


class LogOffsets:
    """How far the logs were read, in the database; several processes may read them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def days(self) -> dict[date, Offset]:
        """Return how far the log of each known day was read."""
        async with self._database.reading() as connection:
            rows = (await connection.execute(select(LOG_FILES))).all()
        known = {row.day: Offset(row.offset_bytes, row.lines, row.print) for row in rows}
        return {date.fromisoformat(day): offset for day, offset in known.items()}

    async def advance(
        self, day: date, before: Offset, after: Offset, lines: Sequence[tuple[int, NewLine]]
    ) -> Offset:
        """Add *lines*, each with where it begins, and go from *before* to *after*.

        Returns:
            Where it is: elsewhere when another has gone there meanwhile, and nothing was added.
        """
        first = first_id(day)
        async with self._database.writing() as connection:
            if (found := await _locked(connection, day)) != before:
                return found
            await put_lines(connection, [NumberedLine(first + at, line) for at, line in lines])
            await _set(connection, day, after)
        return after

    async def begin_again(self, day: date, before: Offset, *, forget: bool = False) -> Offset:
        """Delete all lines of *day* where its offset is *before*; return what it is then.

        It goes piece by piece; who finds `EMPTYING` because another was killed begins again. With
        *forget*, nothing is known of the day afterwards.
        """
        async with self._database.writing() as connection:
            found = await _locked(connection, day)
            if found != before:
                return found
            await _set(connection, day, Offset(lines=EMPTYING))
        is_emptied = False
        while not is_emptied:
            is_emptied, found = await self._delete_piece(day, forget=forget)
            await asyncio.sleep(PAUSE_S)
        return found

    async def _delete_piece(self, day: date, *, forget: bool) -> tuple[bool, Offset]:
        async with self._database.writing() as connection:
            found = await _locked(connection, day)
            if found.lines != EMPTYING:
                return True, found  # another process has done it
            if await delete_piece(connection, day, day):
                return False, found
            if forget:
                await connection.execute(LOG_FILES.delete().where(_is(day)))
            else:
                await _set(connection, day, Offset())
        return True, Offset()


def _is(day: date) -> ColumnElement[bool]:
    return LOG_FILES.c.day == day.isoformat()


async def _locked(connection: AsyncConnection, day: date) -> Offset:
    """Return the offset of *day*, which no other process changes until the transaction ends."""
    new = {"day": day.isoformat(), "offset_bytes": 0, "lines": 0, "print": ""}
    await connection.execute(ignoring_insert(connection, LOG_FILES), new)
    wanted: Select[Any] = select(LOG_FILES).where(_is(day)).with_for_update()
    row = (await connection.execute(wanted)).one()
    return Offset(row.offset_bytes, row.lines, row.print)


async def _set(connection: AsyncConnection, day: date, offset: Offset) -> None:
    values = {"offset_bytes": offset.bytes, "lines": offset.lines, "print": offset.print}
    await connection.execute(update(LOG_FILES).where(_is(day)).values(values))
