"""`Ledger` in SQLite or Postgres."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from sqlalchemy import Connection, Row, Select, insert, select

from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.holding import hold
from palabre.adapters.storage.sql.moments import from_ms, to_ms
from palabre.adapters.storage.sql.schema.audit import AUDIT
from palabre.core.audit.chain import kept, next_entry
from palabre.core.audit.model import Actor, Change, Entry, EntryFilter
from palabre.kernel.clock import Clock

PIECE = 300
"""Entries that are read at once: few enough to be hashed between two other things."""

_NEVER = datetime.min.replace(tzinfo=UTC)


class SqlLedger:
    """The book of changes in the database; it does not close it."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    @asynccontextmanager
    async def recording(self, actor: Actor, action: str, target: str) -> AsyncGenerator[Change]:
        change = Change(actor, action, target)
        async with self._database.writing() as connection:
            yield change
            await connection.run_sync(append_entry, change, self._clock.now())

    async def entries(self, wanted: EntryFilter, limit: int) -> Sequence[Entry]:
        newest = _matching(wanted).order_by(AUDIT.c.number.desc()).limit(limit)
        async with self._database.reading() as connection:
            return [_entry(row) for row in await connection.execute(newest)]

    async def pages(self) -> AsyncGenerator[Sequence[Entry]]:
        page = wanted = select(AUDIT).order_by(AUDIT.c.number).limit(PIECE)
        while rows := await self._database.read(_all, wanted):
            yield [_entry(row) for row in rows]
            wanted = page.where(AUDIT.c.number > rows[-1].number)


def append_entry(connection: Connection, change: Change, at: datetime) -> None:
    """Write down that *change* was made at the moment *at*, in the transaction of *connection*."""
    hold(connection, AUDIT)
    newest = select(AUDIT).order_by(AUDIT.c.number.desc()).limit(1)
    row = connection.execute(newest).one_or_none()
    entry = next_entry(change, at, _entry(row) if row else None)
    connection.execute(insert(AUDIT).values(_values(entry)))


def _all(
    connection: Connection, wanted: Select[tuple[object, ...]]
) -> Sequence[Row[tuple[object, ...]]]:
    return connection.execute(wanted).all()


def _matching(wanted: EntryFilter) -> Select[tuple[object, ...]]:
    found = select(AUDIT)
    for column in ("action", "actor", "target"):
        if value := getattr(wanted, column):
            found = found.where(AUDIT.c[column] == kept(value))
    if wanted.before_number is not None:
        found = found.where(AUDIT.c.number < wanted.before_number)
    return found


def _values(entry: Entry) -> dict[str, object]:
    return {
        "number": entry.number,
        "at_ms": to_ms(entry.at),
        "actor": entry.actor.name,
        "role": entry.actor.role,
        "address": entry.actor.address,
        "action": entry.action,
        "target": entry.target,
        "before": entry.before,
        "after": entry.after,
        "previous_hash": entry.previous_hash,
        "hash": entry.hash,
    }


def _entry(row: Row[tuple[object, ...]]) -> Entry:
    return Entry(
        row.number,
        _moment(row.at_ms),
        Actor(_words(row.actor), _words(row.role), _words(row.address)),
        _words(row.action),
        _words(row.target),
        before=_words(row.before),
        after=_words(row.after),
        previous_hash=_words(row.previous_hash),
        hash=_words(row.hash),
    )


def _moment(at_ms: object) -> datetime:
    """Return when it was; of what is no moment and so was not written by us, the first of all."""
    try:
        return from_ms(at_ms) if isinstance(at_ms, int) else _NEVER
    except OverflowError:
        return _NEVER


def _words(value: object) -> str:
    """Return *value*, or what shows that it is no text: SQLite keeps anything in any column."""
    return value if isinstance(value, str) else repr(value)
