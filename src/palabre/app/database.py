"""Where this installation's database is."""

from palabre.adapters.storage.sql.address import (
    DatabaseAddress,
    postgres_address,
    sqlite_address,
)
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
