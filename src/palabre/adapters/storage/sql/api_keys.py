"""`ApiKeyStore` in SQLite or Postgres."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Row, delete, select, update

from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.inserting import ignoring_insert
from palabre.adapters.storage.sql.moments import from_ms, to_ms
from palabre.adapters.storage.sql.schema.api_keys import API_KEYS
from palabre.core.auth.api_keys import ApiKey, Scope
from palabre.core.auth.key_errors import KeyNameTakenError


class SqlApiKeyStore:
    """Keys in the database; it does not close it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, key: ApiKey) -> None:
        async with self._database.writing() as connection:
            adding = ignoring_insert(connection, API_KEYS).values(_values(key))
            added = await connection.execute(adding.returning(API_KEYS.c.id))
            if added.one_or_none() is None:
                raise KeyNameTakenError(name=key.name)

    async def find(self, fingerprint: str) -> ApiKey | None:
        wanted = select(API_KEYS).where(API_KEYS.c.fingerprint == fingerprint)
        async with self._database.reading() as connection:
            row = (await connection.execute(wanted)).one_or_none()
        return _key(row) if row is not None else None

    async def all(self) -> Sequence[ApiKey]:
        oldest = select(API_KEYS).order_by(API_KEYS.c.created_at_ms, API_KEYS.c.id)
        async with self._database.reading() as connection:
            return [_key(row) for row in await connection.execute(oldest)]

    async def note_use(self, key_id: str, at: datetime) -> None:
        used = update(API_KEYS).where(API_KEYS.c.id == key_id).values(used_at_ms=to_ms(at))
        async with self._database.writing() as connection:
            await connection.execute(used)

    async def remove(self, key_id: str) -> None:
        async with self._database.writing() as connection:
            await connection.execute(delete(API_KEYS).where(API_KEYS.c.id == key_id))


def _values(key: ApiKey) -> dict[str, object]:
    return {
        "id": key.id,
        "folded": key.name.casefold(),
        "name": key.name,
        "fingerprint": key.fingerprint,
        "scopes": " ".join(sorted(key.scopes)),
        "created_at_ms": to_ms(key.created_at),
        "expires_at_ms": _ms(key.expires_at),
        "used_at_ms": _ms(key.used_at),
    }


def _key(row: Row[tuple[object, ...]]) -> ApiKey:
    return ApiKey(
        row.id,
        row.name,
        row.fingerprint,
        frozenset(map(Scope, row.scopes.split())),
        from_ms(row.created_at_ms),
        _moment(row.expires_at_ms),
        _moment(row.used_at_ms),
    )


def _ms(moment: datetime | None) -> int | None:
    return None if moment is None else to_ms(moment)


def _moment(moment_ms: int | None) -> datetime | None:
    return None if moment_ms is None else from_ms(moment_ms)
