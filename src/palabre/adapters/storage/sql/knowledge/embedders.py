"""By whose vectors documents are found."""

from sqlalchemy import ColumnElement, Connection, and_, delete, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from palabre.adapters.storage.sql.inserting import ignoring_insert
from palabre.adapters.storage.sql.schema.knowledge import EMBEDDERS
from palabre.core.knowledge.model import EmbedderChoice, EmbedderKey


def of_key(key: EmbedderKey) -> ColumnElement[bool]:
    """Return the condition that a row of `embedders` is *key*."""
    return and_(EMBEDDERS.c.ref == key.ref, EMBEDDERS.c.dimensions == key.dimensions)


async def known_embedder(connection: AsyncConnection, key: EmbedderKey) -> int | None:
    """Return the number of *key*; None if it has none yet."""
    found = await connection.execute(select(EMBEDDERS.c.id).where(of_key(key)))
    number: int | None = found.scalar()
    return number


def read_choice(connection: Connection) -> EmbedderChoice | None:
    """Return the chosen embedder: the one row that there is."""
    table = EMBEDDERS.c
    row = connection.execute(select(table.ref, table.dimensions, table.wished)).first()
    return EmbedderChoice(EmbedderKey(row.ref, row.dimensions), row.wished) if row else None


async def write_choice(connection: AsyncConnection, choice: EmbedderChoice) -> None:
    """Make *choice* the one row; vectors of others go with theirs."""
    key = choice.key
    await connection.execute(delete(EMBEDDERS).where(~of_key(key)))
    row = {"ref": key.ref, "dimensions": key.dimensions, "wished": choice.wished}
    await connection.execute(ignoring_insert(connection, EMBEDDERS), row)
    await connection.execute(update(EMBEDDERS).values(wished=choice.wished))
