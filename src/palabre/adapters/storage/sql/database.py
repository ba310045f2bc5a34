"""Open the database, and hold transactions in it."""

import asyncio
import os
import sqlite3
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Concatenate, ParamSpec, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine.interfaces import DBAPIConnection, DBAPICursor
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry

from palabre.adapters.storage.sql.address import DatabaseAddress
from palabre.adapters.storage.sql.errors import (
    DatabaseUnusableError,
    DriverMissingError,
    VectorsMissingError,
    translated,
    words_of,
)
from palabre.adapters.storage.sql.migrating import migrate

BUSY_TIMEOUT_S = 20
"""How long a change waits for that of another process."""

STATEMENT_TIMEOUT_S = 60
"""How long Postgres works on one statement; waiting for others counts."""

WAL_PAUSE_S = 0.02

_WRITES = "palabre_writes"
_PRAGMAS = (
    f"PRAGMA busy_timeout = {BUSY_TIMEOUT_S * 1000}",
    "PRAGMA foreign_keys = ON",
    "PRAGMA synchronous = FULL",
)

_BEGUN: "ContextVar[_Begun | None]" = ContextVar("begun", default=None)

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class _Begun:
    """A transaction, and the task that has begun it: those that it starts have their own."""

    database: "Database"
    connection: AsyncConnection
    task: "asyncio.Task[object] | None"


class Database:
    """One database; several processes may have it open."""

    def __init__(
        self, address: DatabaseAddress, engine: AsyncEngine, readers: Engine | None = None
    ) -> None:
        self.address = address
        self._engine = engine
        self._readers = readers
        self._writing = engine.execution_options(**{_WRITES: True})

    @classmethod
    async def open(cls, address: DatabaseAddress) -> "Database":
        """Open the database of *address*, make it if need be, and bring it up to date.

        Raises:
            DatabaseUnusableError: It cannot be opened.
            DatabaseTooNewError: A newer version of the program has written it.
            DriverMissingError: It is a Postgres, and the extra `postgres` is not installed.
            VectorsMissingError: It is a Postgres without pgvector.
        """
        await asyncio.to_thread(_prepare, address)
        if not address.is_sqlite:
            return cls(address, _engine(address))
        readers = create_engine(address.url, pool_reset_on_return=None)
        _set_up_sqlite(readers)
        return cls(address, _engine(address), readers)

    def for_other_loop(self) -> "Database":
        """Return the same database for another event loop, which is to close it."""
        return Database(self.address, _engine(self.address))

    @asynccontextmanager
    async def reading(self) -> AsyncGenerator[AsyncConnection]:
        """Give a connection that changes nothing; each statement sees what is there by then.

        Raises:
            StorageError: The database fails.
        """
        with translated():
            if (begun := self._begun()) is not None:
                yield begun
                return
            async with self._engine.begin() as connection:
                yield connection

    def _begun(self) -> AsyncConnection | None:
        begun = _BEGUN.get()
        if begun is None or begun.database is not self or begun.task != asyncio.current_task():
            return None
        return begun.connection

    @asynccontextmanager
    async def writing(self) -> AsyncGenerator[AsyncConnection]:
        """Give a connection whose changes are made together when the block ends.

        Inside such a block of the same task it is that block's connection: the changes of both
        are made together when the outer one ends. Reads inside see what was changed by then.

        Raises:
            StorageError: The database fails; nothing was changed.
        """
        if (connection := self._begun()) is not None:
            with translated():
                yield connection
            return
        with translated():
            async with self._writing.begin() as connection:
                token = _BEGUN.set(_Begun(self, connection, asyncio.current_task()))
                try:
                    yield connection
                finally:
                    _BEGUN.reset(token)

    async def read(
        self, work: Callable[Concatenate[Connection, P], R], *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """Run *work* with a connection that changes nothing.

        For SQLite in one trip to a thread, whatever it asks; `reading` takes one a statement.

        Raises:
            StorageError: The database fails.
        """
        if (readers := self._readers) is not None and self._begun() is None:

            def in_thread() -> R:
                with translated(), readers.connect() as connection:
                    return work(connection, *args, **kwargs)

            return await asyncio.to_thread(in_thread)
        async with self.reading() as connection:
            return await connection.run_sync(work, *args, **kwargs)

    async def aclose(self) -> None:
        """Close every connection."""
        await self._engine.dispose()
        if self._readers is not None:
            self._readers.dispose()


def _engine(address: DatabaseAddress) -> AsyncEngine:
    if not address.is_sqlite:
        return create_async_engine(address.async_url, **_lasting(address))
    engine = create_async_engine(address.async_url, pool_reset_on_return=None)
    _set_up_sqlite(engine.sync_engine)
    return engine


def _lasting(address: DatabaseAddress) -> dict[str, Any]:
    """Return options for connections to a server that may go away and come back."""
    wanted = {
        "connect_timeout": 5,
        "keepalives_idle": 10,
        "keepalives_interval": 5,
        "keepalives_count": 3,
        "tcp_user_timeout": 20_000,
        "options": f"-c statement_timeout={STATEMENT_TIMEOUT_S}s",
    }
    ours = {name: value for name, value in wanted.items() if name not in address.url.query}
    return {"pool_pre_ping": True, "connect_args": ours}


@contextmanager
def thread_connection(address: DatabaseAddress, *, writes: bool) -> Iterator[Connection]:
    """Give a connection for a thread that may wait, in a transaction."""
    if not address.is_sqlite:
        _demand_driver()
    engine = create_engine(address.url)
    if address.is_sqlite:
        _set_up_sqlite(engine)
    try:
        with engine.execution_options(**{_WRITES: writes}).begin() as connection:
            yield connection
    finally:
        engine.dispose()


def _prepare(address: DatabaseAddress) -> None:
    try:
        if address.file is not None:
            _make_private(address)
        with thread_connection(address, writes=True) as connection:
            migrate(connection, address.shown)
    except OSError as fault:
        detail = fault.strerror or type(fault).__name__
        raise DatabaseUnusableError(path=address.shown, detail=detail) from fault
    except SQLAlchemyError as fault:
        raise _unusable(address, fault) from fault


def _demand_driver() -> None:
    try:
        import_module("psycopg")
    except ImportError as fault:
        raise DriverMissingError from fault


def _unusable(
    address: DatabaseAddress, fault: SQLAlchemyError
) -> DatabaseUnusableError | VectorsMissingError:
    detail = words_of(fault)
    lacks = isinstance(fault, DBAPIError) and "EXTENSION" in (fault.statement or "")
    kind = VectorsMissingError if lacks else DatabaseUnusableError
    return kind(path=address.shown, detail=detail)


def _make_private(address: DatabaseAddress) -> None:
    assert address.file is not None
    address.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(address.file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))


def _set_up_sqlite(engine: Engine) -> None:
    event.listen(engine, "connect", _on_connect)
    event.listen(engine, "begin", _on_begin)


def _on_connect(connection: DBAPIConnection, _record: ConnectionPoolEntry) -> None:
    # The driver would begin transactions when it sees fit.
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in _PRAGMAS:
        cursor.execute(pragma)
    _use_wal(cursor)
    cursor.close()


def _use_wal(cursor: DBAPICursor) -> None:
    """Have the file use a write-ahead log, which it does for ever once it was told.

    SQLite makes nobody wait for this change: of several that open a new file, whoever meets
    another tries again.
    """
    deadline_s = time.monotonic() + BUSY_TIMEOUT_S
    while True:
        cursor.execute("PRAGMA journal_mode")
        if cursor.fetchall()[0][0] == "wal":
            return
        try:
            cursor.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError:
            if time.monotonic() > deadline_s:
                raise
            time.sleep(WAL_PAUSE_S)
        else:
            return


def _on_begin(connection: Connection) -> None:
    """Take the right to write at once: asking for it later fails when another has it.

    Statements that only read need no transaction, each of which is four trips to a thread.
    """
    if connection.get_execution_options().get(_WRITES):
        connection.exec_driver_sql("BEGIN IMMEDIATE")
