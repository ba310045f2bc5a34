"""Tell which files and rows belong together if a restore into Postgres was cut off.

The files of the backup come first, with a mark among them. The rows follow, and with them an entry
in the book of changes that has the same mark. A mark without its entry means that the rows are
still the old ones: then the old files come back, which are in a folder that is named after it.
"""

import logging
import shutil
from pathlib import Path

from sqlalchemy import Connection, inspect, select, text

from palabre.adapters.storage.atomic import sync_path, write_atomically
from palabre.adapters.storage.backup.data_files import MARK_NAME
from palabre.adapters.storage.backup.errors import RestoreCutError
from palabre.adapters.storage.backup.swap import exchange
from palabre.adapters.storage.data_dir import DataDirLock
from palabre.adapters.storage.sql.address import DatabaseAddress
from palabre.adapters.storage.sql.database import thread_connection
from palabre.adapters.storage.sql.errors import translated
from palabre.adapters.storage.sql.schema.audit import AUDIT

ACTION = "data.restore"

_HOLD = text("SELECT pg_advisory_xact_lock(6009771134071)")

_log = logging.getLogger(__name__)


def hold(connection: Connection) -> None:
    """Let `settle` wait until the transaction of *connection*, a Postgres, is done or undone."""
    connection.execute(_HOLD)


def beginning(data_dir: Path) -> str:
    """Return how names of folders begin in which a restore of *data_dir* is prepared."""
    return f"{data_dir.name}.restoring-"


def mark_of(staging: Path) -> str:
    """Return how the restore is called that is prepared in *staging*; letters and figures."""
    return staging.name.rpartition("-")[2]


def write_mark(staging: Path) -> None:
    """Mark the files in *staging*, whose place the old ones are about to take."""
    write_atomically(staging / MARK_NAME, mark_of(staging).encode())


def unmark(data_dir: Path) -> None:
    """Say that files and rows of *data_dir* belong together."""
    (data_dir / MARK_NAME).unlink(missing_ok=True)
    sync_path(data_dir)


def settle(address: DatabaseAddress, data_dir: Path) -> None:
    """Undo the files of a restore whose rows were never changed; nobody works on *data_dir*.

    Raises:
        DataDirBusyError: That restore goes on, or a server works there.
        RestoreCutError: The old files are not where they were left.
        StorageError: The database does not answer.
        SwapFailedError: The files cannot be exchanged.
    """
    if address.is_sqlite or not (data_dir / MARK_NAME).exists():
        return  # the file of SQLite is exchanged with the others
    lock = DataDirLock(data_dir)
    try:
        decide(address, data_dir)
    finally:
        lock.release()


def decide(address: DatabaseAddress, data_dir: Path) -> None:
    """As `settle`, for who has the lock and finds a mark.

    Raises:
        RestoreCutError, StorageError, SwapFailedError: As `settle`.
    """
    mark = (data_dir / MARK_NAME).read_text("ascii", "replace")
    if _is_written_down(address, mark):
        unmark(data_dir)
    else:
        _undo(data_dir, data_dir.parent / Path(f"{beginning(data_dir)}{mark}").name)


def _is_written_down(address: DatabaseAddress, mark: str) -> bool:
    with translated(), thread_connection(address, writes=True) as connection:
        hold(connection)
        if not inspect(connection).has_table(AUDIT.name):
            return False
        restores = select(AUDIT.c.after).where(AUDIT.c.action == ACTION)
        return any(f'"mark":"{mark}"' in after for after in connection.scalars(restores))


def _undo(data_dir: Path, old: Path) -> None:
    if not old.is_dir():
        raise RestoreCutError(path=str(data_dir))
    exchange(data_dir, old)
    shutil.rmtree(old, ignore_errors=True)
    _log.warning("a restore was cut off: the files are again those that belong to the database")
