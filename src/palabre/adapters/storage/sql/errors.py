"""What can be wrong with a database."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError, OperationalError, SQLAlchemyError

from palabre.kernel.errors import SetupError, StorageError

_log = logging.getLogger(__name__)


class DatabaseAddressError(SetupError):
    """`storage.database_url` is not the address of a Postgres."""

    code = "database_address"


class DatabaseUnusableError(SetupError):
    """The database `data["path"]` cannot be opened; `data["detail"]` says why."""

    code = "database_unusable"


class DatabaseTooNewError(SetupError):
    """The database `data["path"]` was written by a newer version of the program."""

    code = "database_too_new"


class DriverMissingError(SetupError):
    """What speaks to a Postgres is not installed."""

    code = "database_driver_missing"


class VectorsMissingError(SetupError):
    """The Postgres `data["path"]` has no pgvector; `data["detail"]` says what it said."""

    code = "vectors_missing"


class DatabaseFailedError(StorageError):
    """The database was open and failed; `data["detail"]` is what it said."""

    code = "database_failed"


class DatabaseAwayError(DatabaseFailedError):
    """Nobody answers where the database was; the program's log says what was tried."""

    code = "database_away"


_AWAY = ("08", "57P")
"""Beginnings of Postgres's states for a connection that fails, and for a server that stops."""

_NO_STATES = "sqlite"


@contextmanager
def translated() -> Iterator[None]:
    """Turn what the database says into `DatabaseFailedError`."""
    try:
        yield
    except SQLAlchemyError as fault:
        words = words_of(fault)
        if _is_away(fault):
            # Its address is nothing for those who talk.
            _log.warning("the database does not answer: %s", words)
            raise DatabaseAwayError from fault
        raise DatabaseFailedError(detail=words) from fault


def _is_away(fault: SQLAlchemyError) -> bool:
    if isinstance(fault, DBAPIError) and fault.connection_invalidated:
        return True
    if not isinstance(fault, OperationalError):
        return False
    state = getattr(fault.orig, "sqlstate", _NO_STATES)
    return state is None or str(state).startswith(_AWAY)


def words_of(fault: SQLAlchemyError) -> str:
    """Return what the driver said, on one line, without the statement and its values."""
    said = str(fault.orig) if isinstance(fault, DBAPIError) and fault.orig else str(fault)
    return said.strip().splitlines()[0] if said.strip() else type(fault).__name__
