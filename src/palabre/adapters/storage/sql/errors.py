"""What can be wrong with a database."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from palabre.kernel.errors import SetupError, StorageError


class DatabaseAddressError(SetupError):
    """`storage.database_url` is not the address of a Postgres."""

    code = "database_address"


class DatabaseUnusableError(SetupError):
    """The database `data["path"]` cannot be opened; `data["detail"]` says why."""

    code = "database_unusable"


class DatabaseTooNewError(SetupError):
    """The database `data["path"]` was written by a newer version of the program."""

    code = "database_too_new"


class VectorsMissingError(SetupError):
    """The Postgres `data["path"]` has no pgvector; `data["detail"]` says what it said."""

    code = "vectors_missing"


class DatabaseFailedError(StorageError):
    """The database was open and failed; `data["detail"]` is what it said."""

    code = "database_failed"


@contextmanager
def translated() -> Iterator[None]:
    """Turn what the database says into `DatabaseFailedError`."""
    try:
        yield
    except SQLAlchemyError as fault:
        raise DatabaseFailedError(detail=words_of(fault)) from fault


def words_of(fault: SQLAlchemyError) -> str:
    """Return what the driver said, on one line, without the statement and its values."""
    said = str(fault.orig) if isinstance(fault, DBAPIError) and fault.orig else str(fault)
    return said.strip().splitlines()[0] if said.strip() else type(fault).__name__
