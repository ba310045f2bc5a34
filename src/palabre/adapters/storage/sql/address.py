"""Where the database is, in the forms that its drivers want."""

from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from palabre.adapters.storage.sql.errors import DatabaseAddressError

FILE_NAME = "palabre.db"
_POSTGRES = {"postgres", "postgresql"}


@dataclass(frozen=True, slots=True)
class DatabaseAddress:
    """One database.

    Attributes:
        url: For drivers that wait for their answers in threads or not at all.
        async_url: For drivers of the event loop.
        shown: Without a password.
    """

    url: URL
    async_url: URL
    file: Path | None

    @property
    def is_sqlite(self) -> bool:
        """Whether it is a file of ours."""
        return self.file is not None

    @property
    def shown(self) -> str:
        """Its name for people, without a password."""
        return str(self.file) if self.file else self.url.render_as_string(hide_password=True)


def sqlite_address(data_dir: Path) -> DatabaseAddress:
    """Return the database of *data_dir*."""
    file = data_dir / FILE_NAME
    sync, loop = (URL.create(f"sqlite+{each}", database=str(file)) for each in _SQLITE)
    return DatabaseAddress(sync, loop, file)


def postgres_address(url: str) -> DatabaseAddress:
    """Return the database that *url* names, such as `postgresql://user@host/palabre`.

    Raises:
        DatabaseAddressError: It is not the address of a Postgres.
    """
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        raise DatabaseAddressError from None
    if parsed.drivername.partition("+")[0] not in _POSTGRES:
        raise DatabaseAddressError
    named = parsed.set(drivername="postgresql+psycopg")
    return DatabaseAddress(named, named, None)


_SQLITE = ("pysqlite", "aiosqlite")
