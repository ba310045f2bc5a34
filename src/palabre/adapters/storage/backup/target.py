"""Where a backup may go, and where it may not; nothing is changed by looking."""

import errno
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, text

from palabre.adapters.storage.backup.archive import Archive
from palabre.adapters.storage.backup.data_files import is_kept
from palabre.adapters.storage.backup.errors import (
    DatabaseInUseError,
    NotEmptyError,
    SwapFailedError,
    TooLittleRoomError,
)
from palabre.adapters.storage.backup.filling import is_empty
from palabre.adapters.storage.backup.manifest import Manifest
from palabre.adapters.storage.errors import reason
from palabre.adapters.storage.sql.address import DatabaseAddress
from palabre.adapters.storage.sql.database import thread_connection
from palabre.adapters.storage.sql.errors import DatabaseTooNewError, translated
from palabre.adapters.storage.sql.migrating import HEAD, current_revision

MIB = 1024 * 1024
DATABASE_SHARE = 3
"""How many times as large as its lines a database is at most, with its indices."""

LEAVING_S = 2.0
"""How long connections that are being closed are waited for."""

_OTHERS = text(
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
    "AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
)


@dataclass(frozen=True, slots=True)
class Target:
    """Where a backup is to go."""

    address: DatabaseAddress
    data_dir: Path


def check_target(target: Target, archive: Archive, *, may_replace: bool) -> None:
    """See whether *archive* may and can go to *target*; nothing is changed.

    Raises:
        NotEmptyError: There is something already, and *may_replace* is false.
        SwapFailedError: The data dir is a mount point.
        TooLittleRoomError: The disk is too full.
        DatabaseTooNewError: A newer version of the program has written what is there.
    """
    if target.data_dir.is_mount():  # which cannot change its name
        raise SwapFailedError(path=str(target.data_dir), detail=os.strerror(errno.EBUSY))
    _check_room(target, archive.manifest)
    if not target.address.is_sqlite:
        with _reading(target.address) as connection:
            revision = current_revision(connection)
            if revision is not None and revision > HEAD:
                raise DatabaseTooNewError(path=target.address.shown)
    if not may_replace and (place := taken_place(target)):
        raise NotEmptyError(path=place)


def taken_place(target: Target) -> str | None:
    """Return which part of *target* holds data already; None if it is all empty."""
    if not target.address.is_sqlite:
        with _reading(target.address) as connection:
            if not is_empty(connection):
                return target.address.shown
    return None if is_bare(target) else str(target.data_dir)


def demand_alone(address: DatabaseAddress) -> None:
    """Check that no server uses the Postgres; those that are just leaving are waited for.

    Raises:
        DatabaseInUseError: Others are connected.
    """
    until_s = time.monotonic() + LEAVING_S
    while count := _others(address):
        if time.monotonic() > until_s:
            raise DatabaseInUseError(path=address.shown, count=count)
        time.sleep(0.05)


def demand_none_came(connection: Connection, address: DatabaseAddress) -> None:
    """Check that *connection* is the only one to its Postgres.

    Raises:
        DatabaseInUseError: It is not.
    """
    if count := int(connection.execute(_OTHERS).scalar_one()):
        raise DatabaseInUseError(path=address.shown, count=count)


def _others(address: DatabaseAddress) -> int:
    with _reading(address) as connection:  # a transaction sees what was there at its beginning
        return int(connection.execute(_OTHERS).scalar_one())


@contextmanager
def _reading(address: DatabaseAddress) -> Iterator[Connection]:
    with translated(), thread_connection(address, writes=False) as connection:
        yield connection


def _check_room(target: Target, manifest: Manifest) -> None:
    folder = next(each for each in (target.data_dir, *target.data_dir.parents) if each.exists())
    files = sum(each.size_bytes for each in manifest.files)
    tables = manifest.size_bytes - files if target.address.is_sqlite else 0
    needed, free = files + DATABASE_SHARE * tables, shutil.disk_usage(folder).free
    if needed > free:
        sizes = {"needed_mb": needed // MIB + 1, "free_mb": free // MIB}
        raise TooLittleRoomError(path=str(folder), **sizes)


def is_bare(target: Target) -> bool:
    """Say whether the data dir holds nothing that anybody would miss."""
    if any(is_kept(each.name) for each in _listed(target.data_dir)):
        return False
    file = target.address.file
    if file is None or not file.exists() or not file.stat().st_size:
        return True
    with _reading(target.address) as connection:
        return is_empty(connection)


def _listed(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except FileNotFoundError:
        return []
    except OSError as fault:
        raise SwapFailedError(path=str(folder), detail=reason(fault)) from fault
