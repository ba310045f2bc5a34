"""`SessionStore` in SQLite or Postgres."""

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, Row, delete, insert, select

from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.moments import from_ms, to_ms
from palabre.adapters.storage.sql.schema.accounts import SESSIONS
from palabre.core.auth.model import Role, Session

AT_ONCE = 500
"""Fingerprints in one question: databases take only so many values."""


class SqlSessionStore:
    """Sessions in the database; it does not close it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, session: Session) -> None:
        values = {
            "fingerprint": session.fingerprint,
            "folded": session.username.casefold(),
            "username": session.username,
            "role": session.role.value,
            "created_at_ms": to_ms(session.created_at),
            "expires_at_ms": to_ms(session.expires_at),
        }
        async with self._database.writing() as connection:
            await connection.execute(insert(SESSIONS).values(values))

    async def find(self, fingerprint: str) -> Session | None:
        wanted = select(SESSIONS).where(SESSIONS.c.fingerprint == fingerprint)
        async with self._database.reading() as connection:
            row = (await connection.execute(wanted)).one_or_none()
        return _session(row) if row is not None else None

    async def still(self, fingerprints: Collection[str], now: datetime) -> frozenset[str]:
        asked, found = list(fingerprints), set[str]()
        lasting = select(SESSIONS.c.fingerprint).where(SESSIONS.c.expires_at_ms > to_ms(now))
        async with self._database.reading() as connection:
            for start in range(0, len(asked), AT_ONCE):
                wanted = SESSIONS.c.fingerprint.in_(asked[start : start + AT_ONCE])
                found.update((await connection.execute(lasting.where(wanted))).scalars())
        return frozenset(found)

    async def current(self, now: datetime, limit: int) -> Sequence[Session]:
        wanted = select(SESSIONS).where(SESSIONS.c.expires_at_ms > to_ms(now))
        newest = wanted.order_by(SESSIONS.c.created_at_ms.desc(), SESSIONS.c.fingerprint)
        async with self._database.reading() as connection:
            return [_session(row) for row in await connection.execute(newest.limit(limit))]

    async def remove(self, fingerprint: str) -> None:
        await self._remove(SESSIONS.c.fingerprint == fingerprint)

    async def remove_of(self, username: str) -> int:
        return await self._remove(SESSIONS.c.folded == username.casefold())

    async def remove_ended(self, now: datetime) -> int:
        return await self._remove(SESSIONS.c.expires_at_ms <= to_ms(now))

    async def _remove(self, which: ColumnElement[bool]) -> int:
        async with self._database.writing() as connection:
            return (await connection.execute(delete(SESSIONS).where(which))).rowcount


def _session(row: Row[tuple[object, ...]]) -> Session:
    return Session(
        row.fingerprint,
        row.username,
        Role(row.role),
        from_ms(row.created_at_ms),
        from_ms(row.expires_at_ms),
    )
