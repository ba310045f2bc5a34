"""Put very many made-up messages into a database at once; what finds them is made afterwards."""

from collections.abc import Iterable, Iterator
from itertools import islice

from sqlalchemy import Connection, insert, text

from palabre.adapters.storage.sql.address import DatabaseAddress
from palabre.adapters.storage.sql.database import thread_connection
from palabre.adapters.storage.sql.history.rows import Batch, NumberedLine
from palabre.adapters.storage.sql.schema.history import MESSAGES

PER_BATCH = 2000
INDEX = "ix_messages_grams"

_ADD_WORDS = text("INSERT INTO message_words (rowid, grams) VALUES (:id, :grams)")
_DEFINITION = text(f"SELECT pg_get_indexdef('{INDEX}'::regclass)")
_COLUMNS = [column.name for column in MESSAGES.columns]


def put_all(address: DatabaseAddress, numbered: Iterable[NumberedLine]) -> None:
    """Add the lines, without their counts."""
    put = _sqlite if address.is_sqlite else _postgres
    with thread_connection(address, writes=True) as connection:
        put(connection, _batches(iter(numbered), with_words=address.is_sqlite))


def _batches(numbered: Iterator[NumberedLine], *, with_words: bool) -> Iterator[Batch]:
    while lines := list(islice(numbered, PER_BATCH)):
        yield Batch.of(lines, with_words=with_words)


def _sqlite(connection: Connection, batches: Iterator[Batch]) -> None:
    for batch in batches:
        connection.execute(insert(MESSAGES), batch.rows)
        connection.execute(_ADD_WORDS, batch.words)


def _postgres(connection: Connection, batches: Iterator[Batch]) -> None:
    definition = str(connection.scalar(_DEFINITION))
    connection.execute(text(f"DROP INDEX {INDEX}"))
    into = f"COPY messages ({', '.join(_COLUMNS)}) FROM STDIN"
    with connection.connection.cursor() as cursor, cursor.copy(into) as copy:
        for batch in batches:
            for row in batch.rows:
                copy.write_row([row[name] for name in _COLUMNS])
    for statement in (
        *("SET LOCAL statement_timeout = 0", "SET LOCAL maintenance_work_mem = '128MB'"),
        *(definition, f"ALTER INDEX {INDEX} ALTER COLUMN 1 SET STATISTICS 0", "ANALYZE messages"),
    ):
        connection.execute(text(statement))
