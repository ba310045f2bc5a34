"""Inserts that both databases write in their own way."""

from sqlalchemy import Insert, Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection


def ignoring_insert(connection: AsyncConnection, table: Table) -> Insert:
    """Return an insert into *table* that leaves rows alone that are there already."""
    if connection.dialect.name == "postgresql":
        return postgresql.insert(table).on_conflict_do_nothing()
    return sqlite.insert(table).on_conflict_do_nothing()
