"""Whose vectors are whose."""

from sqlalchemy import ColumnElement, Insert, Table, and_, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from palabre.adapters.storage.sql.schema import EMBEDDERS
from palabre.core.knowledge.model import EmbedderKey


def of_key(key: EmbedderKey) -> ColumnElement[bool]:
    """Return the condition that a row of `embedders` is *key*."""
    return and_(EMBEDDERS.c.ref == key.ref, EMBEDDERS.c.dimensions == key.dimensions)


async def known_embedder(connection: AsyncConnection, key: EmbedderKey) -> int | None:
    """Return the number of *key*; None if it has none yet."""
    found = await connection.execute(select(EMBEDDERS.c.id).where(of_key(key)))
    number: int | None = found.scalar()
    return number


async def embedder_id(connection: AsyncConnection, key: EmbedderKey) -> int:
    """Return the number of *key*, a new one if need be."""
    row = {"ref": key.ref, "dimensions": key.dimensions}
    await connection.execute(ignoring_insert(connection, EMBEDDERS), row)
    found = await connection.execute(select(EMBEDDERS.c.id).where(of_key(key)))
    return int(found.scalar_one())


def ignoring_insert(connection: AsyncConnection, table: Table) -> Insert:
    """Return an insert into *table* that leaves rows alone that are there already."""
    if connection.dialect.name == "postgresql":
        return postgresql.insert(table).on_conflict_do_nothing()
    return sqlite.insert(table).on_conflict_do_nothing()
