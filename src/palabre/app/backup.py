"""What a backup of this installation is made of, and where one goes back to."""

import asyncio

from palabre.adapters.storage.backup.halfway import settle
from palabre.adapters.storage.backup.target import Target
from palabre.adapters.storage.backup.writing import Source
from palabre.app.database import database_address
from palabre.app.personas import own_directory
from palabre.app.settings import Settings


async def settle_restore(settings: Settings) -> None:
    """Undo what a restore that was cut off has left half done, before anything is opened.

    Raises:
        SetupError: It cannot be undone, or that restore goes on.
        StorageError: The database does not answer.
    """
    target = restore_target(settings)
    await asyncio.to_thread(settle, target.address, target.data_dir)


def backup_source(settings: Settings) -> Source:
    """Return what is to be kept of the installation of *settings*.

    Raises:
        DatabaseAddressError: `storage.database_url` is not the address of a Postgres.
    """
    data_dir = settings.data_dir.resolve()
    personas = own_directory(settings).resolve()
    return Source(
        address=database_address(settings),
        data_dir=data_dir,
        personas=None if personas.is_relative_to(data_dir) else personas,
        excluded=frozenset({settings.cache_dir.resolve()}),
    )


def restore_target(settings: Settings) -> Target:
    """Return where a backup is put back for the installation of *settings*.

    Raises:
        DatabaseAddressError: `storage.database_url` is not the address of a Postgres.
    """
    moved = settings.model_copy(update={"data_dir": settings.data_dir.resolve()})
    return Target(database_address(moved), moved.data_dir)
