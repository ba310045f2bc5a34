"""Rows in every table, whatever they mean: new tables are filled as soon as they are there."""

from collections.abc import Iterator

import numpy as np
from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    Integer,
    LargeBinary,
    String,
    Table,
    inspect,
    select,
)

from palabre.adapters.storage.backup.reading_tables import SEEDED, column_names
from palabre.adapters.storage.backup.rows import is_derived, is_vector
from palabre.adapters.storage.sql.schema import METADATA

COUNT = 3


def fill_all(connection: Connection) -> None:
    """Put rows into every table that the database has."""
    there = set(inspect(connection).get_table_names())
    for table in METADATA.sorted_tables:
        if table.name in there - SEEDED:
            columns = set(column_names(connection, table))
            connection.execute(table.insert(), list(_rows(connection, table, columns)))


def _rows(connection: Connection, table: Table, columns: set[str]) -> Iterator[dict[str, object]]:
    for number in range(COUNT):
        yield {
            column.name: _value(connection, column, number)
            for column in table.columns
            if column.name in columns and not is_derived(column)
        }


def _value(connection: Connection, column: Column, number: int) -> object:
    if column.foreign_keys:
        referred = next(iter(column.foreign_keys)).column
        found = connection.scalars(select(referred).order_by(*referred.table.primary_key)).all()
        return found[number]
    if column.nullable and number == 0:
        return None
    return _plain(connection, column, number)


def _plain(connection: Connection, column: Column, number: int) -> object:
    if is_vector(column):
        vector = [0.6, 0.8, number / 7]
        is_sqlite = connection.dialect.name == "sqlite"
        return _as_bytes(vector) if is_sqlite else vector
    match column.type:
        case Boolean():
            return number % 2 == 0
        case Integer():
            return 10 * number + 7
        case LargeBinary():
            return bytes([number, 0, 255])
        case String(length=length):
            return f"{column.name} é \u2028 \U0001f41d {number}"[-(length or 100) :]
    raise TypeError(column.type)


def _as_bytes(vector: list[float]) -> bytes:

    return np.asarray(vector, "<f4").tobytes()
