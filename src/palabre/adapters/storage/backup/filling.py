"""Fill a database with the rows of a backup, as the version had it that made that; then update."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from pathlib import Path

from sqlalchemy import Connection, Table, insert, inspect, text

from palabre.adapters.storage.backup.archive import Archive
from palabre.adapters.storage.backup.errors import ArchiveRefusedError
from palabre.adapters.storage.backup.files_out import write_files
from palabre.adapters.storage.backup.halfway import ACTION
from palabre.adapters.storage.backup.manifest import TABLES, TableRows
from palabre.adapters.storage.backup.reading_tables import (
    FREE_SEQUENCES,
    OMITTED,
    SEEDED,
    column_names,
)
from palabre.adapters.storage.backup.rows import is_vector, read_row
from palabre.adapters.storage.backup.search_words import rebuild_words
from palabre.adapters.storage.sql.ledger import append_entry
from palabre.adapters.storage.sql.migrating import HEAD, current_revision, upgrade
from palabre.adapters.storage.sql.schema import METADATA
from palabre.core.audit.model import THE_MACHINE, Change

PIECE = 500
"""Rows that are written at once."""

LOCK_TIMEOUT_S = 10

Told = Callable[[int], None]


def is_empty(connection: Connection) -> bool:
    """Say whether nobody has put anything into the database yet."""
    there = set(inspect(connection).get_table_names())
    for name in METADATA.tables.keys() - SEEDED - set(OMITTED):
        found = text(f'SELECT EXISTS (SELECT 1 FROM "{name}")')  # noqa: S608 - ours
        if name in there and connection.execute(found).scalar():
            return False
    return True


def fill(
    connection: Connection,
    archive: Archive,
    mark: str,
    at: datetime,
    *,
    told: Told,
    data_dir: Path | None,
) -> None:
    """Replace all that the database holds by what *archive* does, inside its transaction.

    That it was done is the newest entry of the book of changes.

    Args:
        connection: Of the database.
        archive: Which was verified.
        mark: Of this restore, by which its entry is known.
        at: Now.
        told: Told of rows that were written, and of messages that were indexed.
        data_dir: Where what rooms keep is written into files; None where tables keep it.

    Raises:
        ArchiveRefusedError: A table or column is none of that revision, or a row makes no sense.
        SQLAlchemyError: The database refuses it.
        OSError: Files cannot be written.
    """
    manifest = archive.manifest
    if connection.dialect.name == "postgresql":
        connection.execute(text(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT_S}s'"))
    _prepare(connection, manifest.schema_revision or HEAD)
    known = {each.name: each for each in manifest.tables}
    there = set(inspect(connection).get_table_names())
    if strangers := known.keys() - (METADATA.tables.keys() & there):
        raise ArchiveRefusedError("stranger", name=min(strangers))
    for table in METADATA.sorted_tables:
        if table.name in known:
            _fill_table(connection, archive, table, known[table.name], told)
    _set_sequences(connection, manifest.sequences)
    upgrade(connection)
    if data_dir is not None and manifest.database == "postgres":
        write_files(connection, data_dir)
    rebuild_words(connection, told)
    change = Change(THE_MACHINE, ACTION, "backup")
    change.after = {"program": manifest.program, "rows": manifest.rows, "mark": mark}
    append_entry(connection, change, at)


def _prepare(connection: Connection, revision: str) -> None:
    """Leave an empty database of *revision*."""
    current = current_revision(connection)
    if current not in {None, revision}:
        _drop_all(connection)
        current = None
    if current is None:
        upgrade(connection, revision)
    there = set(inspect(connection).get_table_names())
    if connection.dialect.name == "sqlite":
        connection.execute(text("PRAGMA defer_foreign_keys = ON"))
    for table in reversed(METADATA.sorted_tables):
        if table.name in there:
            connection.execute(table.delete())


def _drop_all(connection: Connection) -> None:
    assert connection.dialect.name == "postgresql"  # a file of SQLite is always a new one
    for name in [*METADATA.tables, "alembic_version"]:
        connection.execute(text(f'DROP TABLE IF EXISTS "{name}" CASCADE'))
    for name in FREE_SEQUENCES:
        connection.execute(text(f'DROP SEQUENCE IF EXISTS "{name}" CASCADE'))
    own = text(
        "SELECT p.oid::regprocedure::text FROM pg_proc p "
        "WHERE p.pronamespace = current_schema()::regnamespace AND NOT EXISTS "
        "(SELECT 1 FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e') "
        "AND p.proname = ANY(:names)"
    )
    for name in connection.scalars(own, {"names": list(FUNCTIONS)}).all():
        connection.execute(text(f"DROP FUNCTION {name} CASCADE"))


FUNCTIONS = ("message_grams",)
"""Of Postgres, that migrations make."""


def _fill_table(
    connection: Connection, archive: Archive, table: Table, told_of: TableRows, told: Told
) -> None:
    if strangers := set(told_of.columns) - set(column_names(connection, table)):
        raise ArchiveRefusedError("stranger", name=f"{table.name}.{min(strangers)}")
    statement, count = insert(table), 0
    for rows in _batches(_rows(connection, archive, table, told_of)):
        connection.execute(statement, rows)
        count += len(rows)
        told(len(rows))
    if count != told_of.rows:
        raise ArchiveRefusedError("damaged", name=f"{TABLES}{table.name}.jsonl")


def _rows(
    connection: Connection, archive: Archive, table: Table, told_of: TableRows
) -> Iterator[dict[str, object]]:
    name = f"{TABLES}{table.name}.jsonl"
    member = next(each for each in archive.manifest.members if each.name == name)
    vectors = [is_vector(table.c[column]) for column in told_of.columns]
    is_postgres = connection.dialect.name == "postgresql"
    for line in archive.lines(member):
        try:
            values = read_row(line, vectors, is_postgres=is_postgres)
        except ValueError as fault:
            raise ArchiveRefusedError("damaged", name=name) from fault
        yield dict(zip(told_of.columns, values, strict=True))


def _batches(rows: Iterator[dict[str, object]]) -> Iterator[Sequence[dict[str, object]]]:
    while batch := list(islice(rows, PIECE)):
        yield batch


def _set_sequences(connection: Connection, recorded: dict[str, int]) -> None:
    """Let numbers go on where they were: none is given twice."""
    for table in METADATA.sorted_tables:
        for column in table.primary_key.columns:
            if connection.dialect.name == "sqlite":
                _set_sqlite(connection, table, recorded.get(str(table.name)))
            else:
                _set_postgres(connection, table, str(column.name), recorded)
    if connection.dialect.name == "postgresql":
        _set_free(connection, recorded)


def _set_sqlite(connection: Connection, table: Table, last: int | None) -> None:
    values = {"name": table.name, "last": last}
    if not table.dialect_options["sqlite"]["autoincrement"] or last is None:
        return
    changed = text("UPDATE sqlite_sequence SET seq = max(seq, :last) WHERE name = :name")
    if not connection.execute(changed, values).rowcount:
        added = text("INSERT INTO sqlite_sequence (name, seq) VALUES (:name, :last)")
        connection.execute(added, values)


def _set_postgres(
    connection: Connection, table: Table, column: str, recorded: dict[str, int]
) -> None:
    if not inspect(connection).has_table(str(table.name)):
        return
    asked = text("SELECT pg_get_serial_sequence(:table, :column)")
    values = {"table": f'"{table.name}"', "column": column}
    sequence = connection.execute(asked, values).scalar()
    if sequence is None:
        return
    newest = text(f'SELECT coalesce(max("{column}"), 0) FROM "{table.name}"')  # noqa: S608 - ours
    last = max(connection.execute(newest).scalar_one(), recorded.get(str(table.name), 0))
    _set(connection, sequence, last)


def _set_free(connection: Connection, recorded: dict[str, int]) -> None:
    if not inspect(connection).has_table("messages"):
        return
    place = text("SELECT coalesce(max(id & ((1::bigint << 36) - 1)), 0) FROM messages")
    last = max(connection.execute(place).scalar_one(), recorded.get("message_numbers", 0))
    _set(connection, "message_numbers", last)


def _set(connection: Connection, sequence: str, last: int) -> None:
    """Let the next number of *sequence* be the one after *last*."""
    asked = text("SELECT setval(CAST(:sequence AS regclass), :last, :is_given)")
    values = {"sequence": sequence, "last": max(last, 1), "is_given": last > 0}
    connection.execute(asked, values)
