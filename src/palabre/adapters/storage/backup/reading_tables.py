"""Read every table as it was at one moment, while others go on writing."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy import Connection, Table, create_engine, inspect, select, text

from palabre.adapters.storage.backup.rows import is_derived, is_vector, write_row
from palabre.adapters.storage.sql.address import DatabaseAddress
from palabre.adapters.storage.sql.database import thread_connection
from palabre.adapters.storage.sql.errors import DatabaseTooNewError, translated
from palabre.adapters.storage.sql.migrating import HEAD, current_revision
from palabre.adapters.storage.sql.schema import METADATA

OMITTED = ("sessions",)
"""Who has logged in does so again."""

SEEDED = frozenset({"knowledge_version"})
"""Tables that have rows from the beginning."""

FREE_SEQUENCES = ("message_numbers",)
"""Of Postgres, that belong to no column."""

PIECE = 500
"""Rows that are read at once."""


@dataclass(frozen=True, slots=True)
class Copied:
    """One table that is to be copied, and those of its columns that are."""

    table: Table
    columns: tuple[str, ...]
    count: int

    @property
    def name(self) -> str:
        """Of the table."""
        return str(self.table.name)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A database as it was at one moment.

    Attributes:
        connection: None where there is no database yet; then there are no tables either.
        revision: Of its schema.
        sequences: The last numbers that were given.
    """

    connection: Connection | None
    revision: str | None
    tables: tuple[Copied, ...]
    sequences: dict[str, int]

    def lines(self, copied: Copied) -> Iterator[bytes]:
        """Yield the rows of a table as lines, by its key."""
        table, columns = copied.table, [copied.table.c[name] for name in copied.columns]
        vectors = [is_vector(column) for column in columns]
        wanted = select(*columns).order_by(*table.primary_key.columns)
        assert self.connection is not None
        with translated():
            found = self.connection.execution_options(yield_per=PIECE).execute(wanted)
            for rows in found.partitions():
                yield b"".join(write_row(row, vectors) for row in rows)


@contextmanager
def snapshot_of(address: DatabaseAddress) -> Iterator[Snapshot]:
    """Give the database of *address* as it is now, and remains until the block ends.

    Raises:
        DatabaseTooNewError: A newer version of the program has written it.
        StorageError: It cannot be read.
    """
    with translated(), _one_moment(address) as connection:
        revision = current_revision(connection)
        if revision is not None and revision > HEAD:
            raise DatabaseTooNewError(path=address.shown)
        tables = tuple(_tables(connection)) if revision is not None else ()
        sequences = _sequences(connection, tables) if revision is not None else {}
        yield Snapshot(connection, revision, tables, sequences)


@contextmanager
def _one_moment(address: DatabaseAddress) -> Iterator[Connection]:
    if address.file is not None:
        with _sqlite_moment(address) as connection:
            yield connection
        return
    engine = create_engine(address.url, isolation_level="REPEATABLE READ")
    try:
        with engine.connect().execution_options(postgresql_readonly=True) as connection:
            yield connection
    finally:
        engine.dispose()


@contextmanager
def _sqlite_moment(address: DatabaseAddress) -> Iterator[Connection]:
    with thread_connection(address, writes=False) as connection:
        # The first read takes the moment; until the end, nothing else is seen.
        connection.exec_driver_sql("BEGIN")
        connection.exec_driver_sql("SELECT count(*) FROM sqlite_master")
        try:
            yield connection
        finally:
            connection.exec_driver_sql("ROLLBACK")


def _tables(connection: Connection) -> Iterator[Copied]:
    there = set(inspect(connection).get_table_names())
    for table in METADATA.sorted_tables:
        if table.name in there and table.name not in OMITTED:
            count = connection.execute(text(f'SELECT count(*) FROM "{table.name}"')).scalar_one()  # noqa: S608 - ours
            names = column_names(connection, table)
            copied = tuple(name for name in names if not is_derived(table.c[name]))
            yield Copied(table, copied, int(count))


def column_names(connection: Connection, table: Table) -> list[str]:
    """Return the columns of *table* that its database has by now."""
    found = connection.execute(text(f'SELECT * FROM "{table.name}" WHERE 1 = 0'))  # noqa: S608 - ours
    return [name for name in found.keys() if name in table.c]  # noqa: SIM118 - no dictionary


def _sequences(connection: Connection, tables: Sequence[Copied]) -> dict[str, int]:
    if connection.dialect.name == "sqlite":
        rows = connection.execute(text("SELECT name, seq FROM sqlite_sequence")).all()
        names = {each.name for each in tables}
        return {str(name): int(seq) for name, seq in rows if name in names}
    return dict(_postgres_sequences(connection, tables))


def _postgres_sequences(
    connection: Connection, tables: Sequence[Copied]
) -> Iterator[tuple[str, int]]:
    names = connection.execute(text("SELECT sequencename, last_value FROM pg_sequences")).all()
    last = {str(name): value for name, value in names}
    for each in tables:
        for column in each.columns:
            owned = _owned(connection, each.name, column)
            if owned is not None and last.get(owned) is not None:
                yield each.name, int(last[owned])
    for name in FREE_SEQUENCES:
        if last.get(name) is not None:
            yield name, int(last[name])


def _owned(connection: Connection, table: str, column: str) -> str | None:
    asked = text("SELECT pg_get_serial_sequence(:table, :column)")
    found = connection.execute(asked, {"table": f'"{table}"', "column": column}).scalar()
    return str(found).rpartition(".")[2].strip('"') if found else None
