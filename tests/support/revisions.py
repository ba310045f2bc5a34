"""Databases as earlier versions of the program left them."""

from collections.abc import Sequence

from alembic import command
from alembic.config import Config
from sqlalchemy import text

from palabre.adapters.storage.sql.address import DatabaseAddress
from palabre.adapters.storage.sql.database import thread_connection
from palabre.adapters.storage.sql.migrating import MIGRATIONS


def make_database(address: DatabaseAddress, revision: str, data: Sequence[str]) -> None:
    """Make the database of *address* as *revision* has it, and run the statements *data*."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.set_main_option("path_separator", "os")
    if address.file is not None:
        address.file.parent.mkdir(parents=True, exist_ok=True)
    with thread_connection(address, writes=True) as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
        for statement in data:
            connection.execute(text(statement))
