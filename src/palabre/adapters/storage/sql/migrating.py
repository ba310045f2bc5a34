"""Bring a database up to date."""

from importlib.resources import files

from sqlalchemy import Connection, inspect, text
from sqlalchemy.exc import SQLAlchemyError

from palabre.adapters.storage.sql.errors import DatabaseTooNewError

HEAD = "0008"
"""The newest migration; a test compares it with the files."""

MIGRATIONS = files("palabre.adapters.storage.sql") / "migrations"
_ADVISORY_LOCK = 0x70616C61


def migrate(connection: Connection, shown: str) -> None:
    """Run the migrations that *connection*'s database has not seen, inside its transaction.

    Of several processes that do so at once, one does and the others wait.

    Raises:
        DatabaseTooNewError: It has seen one that we do not know.
        SQLAlchemyError: It fails.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _ADVISORY_LOCK})
    current = current_revision(connection)
    if current == HEAD:
        return
    if current is not None and current > HEAD:
        raise DatabaseTooNewError(path=shown)
    upgrade(connection)


def current_revision(connection: Connection) -> str | None:
    """Return the newest migration that *connection*'s database has seen; None for a new one."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    found = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return str(found) if found is not None else None


def upgrade(connection: Connection, revision: str = "head") -> None:
    """Run migrations up to *revision*, inside the transaction of *connection*.

    Raises:
        SQLAlchemyError: It fails.
    """
    # Alembic is slow to import, and of no use to a database that is up to date.
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415
    from alembic.util.exc import CommandError  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, revision)
    except CommandError as fault:
        raise SQLAlchemyError(*fault.args) from fault
