"""Inserts that both databases write in their own way."""

from sqlalchemy import Insert, Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection


def conflict_insert(connection: AsyncConnection, table: Table) -> postgresql.Insert | sqlite.Insert:
    """Return an insert into *table* that can be told what to do about rows that are there."""
    is_postgres = connection.dialect.name == "postgresql"
    return postgresql.insert(table) if is_postgres else sqlite.insert(table)


def ignoring_insert(connection: AsyncConnection, table: Table) -> Insert:
    """Return an insert into *table* that leaves rows alone that are there already."""
    return conflict_insert(connection, table).on_conflict_do_nothing()
