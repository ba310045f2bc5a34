"""Where this installation's database is."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from palabre.adapters.storage.sql.address import (
    DatabaseAddress,
    postgres_address,
    sqlite_address,
)
from palabre.adapters.storage.sql.database import Database
from palabre.app.settings import Settings


def database_address(settings: Settings) -> DatabaseAddress:
    """Return where the database of *settings* is.

    Raises:
        DatabaseAddressError: `storage.database_url` is not the address of a Postgres.
    """
    url = settings.storage.database_url
    if url is not None:
        return postgres_address(url.get_secret_value())
    return sqlite_address(settings.data_dir)


@asynccontextmanager
async def opened_database(settings: Settings) -> AsyncGenerator[Database]:
    """Open the database of *settings* until the block ends.

    Raises:
        SetupError: It cannot be opened.
    """
    database = await Database.open(database_address(settings))
    try:
        yield database
    finally:
        await database.aclose()
