"""Put a backup back: prepared beside what is there, then put in its place in one step."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from palabre.adapters.storage.atomic import sync_path
from palabre.adapters.storage.backup import halfway
from palabre.adapters.storage.backup.archive import Archive
from palabre.adapters.storage.backup.errors import (
    RestoreCutError,
    SwapFailedError,
    UnpackFailedError,
)
from palabre.adapters.storage.backup.filling import fill
from palabre.adapters.storage.backup.manifest import FILES, Manifest, Member
from palabre.adapters.storage.backup.swap import exchange
from palabre.adapters.storage.backup.target import (
    Target,
    check_target,
    demand_alone,
    demand_none_came,
    is_bare,
)
from palabre.adapters.storage.data_dir import DataDirLock
from palabre.adapters.storage.errors import reason
from palabre.adapters.storage.sql.address import DatabaseAddress, sqlite_address
from palabre.adapters.storage.sql.database import thread_connection
from palabre.adapters.storage.sql.errors import translated
from palabre.adapters.storage.sql.schema.history import MESSAGES
from palabre.kernel.errors import StorageError

ROW_BYTES = 200
"""What a row counts as in the progress."""

Progress = Callable[[int, int], None]
"""Takes how much is done, and how much there is to do."""


@dataclass(frozen=True, slots=True)
class Restored:
    """What was done.

    Attributes:
        aside: Where the data dir is that was there before; None if there was nothing in it.
    """

    manifest: Manifest
    aside: Path | None = None


def restore(
    archive: Archive, target: Target, *, at: datetime, may_replace: bool, progress: Progress
) -> Restored:
    """Put *archive*, which was verified, in the place of what *target* holds.

    Files and the database of SQLite are prepared beside the data dir, which then changes its name
    with them; what was there is kept beside it. In Postgres everything happens in one transaction.
    Killed in between, the old data is still there, or the new is whole, once `halfway.settle` ran.

    Raises:
        DataDirBusyError: A server works on the data dir.
        DatabaseInUseError: Others are connected to the Postgres.
        NotEmptyError, TooLittleRoomError, DatabaseTooNewError: As `check_target`.
        ArchiveRefusedError: The archive changed meanwhile, or does not fit its own schema.
        SwapFailedError: The data dir cannot be replaced, as when it is a mount point.
        UnpackFailedError: The disk is full.
        StorageError: The database refuses what is in it.
    """
    with suppress(RestoreCutError):
        halfway.settle(target.address, target.data_dir)
    with _locked(target.data_dir), ExitStack() as stack:
        check_target(target, archive, may_replace=may_replace)
        if not target.address.is_sqlite:
            demand_alone(target.address)
        was_bare = is_bare(target)
        staging = _Staging.beside(target.data_dir)
        try:
            told = _Told(archive.manifest, progress, _indexed(target, archive.manifest))
            _unpack(archive, staging.path, told)
            with _filled(archive, target, staging.path, at, told):
                _sync_all(staging.path)
                stack.enter_context(_locked(staging.path))
                exchange(target.data_dir, staging.path)
        except BaseException:
            staging.drop()
            raise
        aside = _put_aside(staging.path, target.data_dir, at)
        halfway.unmark(target.data_dir)
        if was_bare:
            shutil.rmtree(aside, ignore_errors=True)
    return Restored(archive.manifest, None if was_bare else aside)


@dataclass(frozen=True, slots=True)
class _Staging:
    """A folder in which everything is prepared.

    Attributes:
        inode: By which it is known wherever it goes: under its name may be what was replaced.
    """

    path: Path
    inode: int

    @classmethod
    def beside(cls, data_dir: Path) -> "_Staging":
        """Make it."""
        try:
            made = tempfile.mkdtemp(dir=data_dir.parent, prefix=halfway.beginning(data_dir))
            return cls(Path(made), Path(made).stat().st_ino)
        except OSError as fault:
            raise SwapFailedError(path=str(data_dir), detail=reason(fault)) from fault

    def drop(self) -> None:
        """Delete it, if it was not put in place."""
        with suppress(OSError):
            if self.path.stat().st_ino == self.inode:
                shutil.rmtree(self.path, ignore_errors=True)


class _Told:
    """Adds up what was done; *indexed* messages count once more."""

    def __init__(self, manifest: Manifest, progress: Progress, indexed: int) -> None:
        files = sum(each.size_bytes for each in manifest.files)
        self._total = files + (manifest.rows + indexed) * ROW_BYTES
        self._done = 0
        self._progress = progress

    def bytes(self, count: int) -> None:
        self._done += count
        self._progress(self._done, self._total)

    def rows(self, count: int) -> None:
        self.bytes(count * ROW_BYTES)


def _indexed(target: Target, manifest: Manifest) -> int:
    """Return how many messages are indexed one by one."""
    if not target.address.is_sqlite or manifest.database != "sqlite":
        return 0
    return sum(each.rows for each in manifest.tables if each.name == MESSAGES.name)


@contextmanager
def _locked(data_dir: Path) -> Iterator[None]:
    lock = DataDirLock(data_dir)
    try:
        yield
    finally:
        lock.release()


def _unpack(archive: Archive, staging: Path, told: _Told) -> None:
    try:
        for member in archive.manifest.files:
            _make_folders(staging, member)
            _write(archive, member, staging / member.name.removeprefix(FILES), told)
    except OSError as fault:
        raise UnpackFailedError(path=str(staging.parent), detail=reason(fault)) from fault


def _make_folders(staging: Path, member: Member) -> None:
    folder = staging
    for part in member.name.removeprefix(FILES).split("/")[:-1]:
        folder /= part
        folder.mkdir(mode=0o700, exist_ok=True)


def _write(archive: Archive, member: Member, path: Path, told: _Told) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        for piece in archive.pieces(member):
            file.write(piece)
            told.bytes(len(piece))


@contextmanager
def _filled(
    archive: Archive, target: Target, staging: Path, at: datetime, told: _Told
) -> Iterator[None]:
    """Fill the database; that of Postgres is committed when the block has ended well."""
    if archive.manifest.schema_revision is None:
        yield
        return
    if target.address.is_sqlite:
        _fill_file(archive, sqlite_address(staging), at, told)
        yield
        return
    swapped = False
    try:
        with translated(), thread_connection(target.address, writes=True) as connection:
            halfway.hold(connection)
            fill(connection, archive, halfway.mark_of(staging), at, told=told.rows, data_dir=None)
            halfway.write_mark(staging)
            demand_none_came(connection, target.address)
            yield
            swapped = True
    except BaseException:
        if swapped:  # the transaction failed at its end, or nobody said how it ended
            with suppress(StorageError):  # the next start decides
                halfway.decide(target.address, target.data_dir)
        raise


def _fill_file(archive: Archive, address: DatabaseAddress, at: datetime, told: _Told) -> None:
    assert address.file is not None
    os.close(os.open(address.file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        with translated(), thread_connection(address, writes=True) as connection:
            folder = address.file.parent
            fill(connection, archive, halfway.mark_of(folder), at, told=told.rows, data_dir=folder)
    except OSError as fault:
        folder = address.file.parent.parent
        raise UnpackFailedError(path=str(folder), detail=reason(fault)) from fault


def _sync_all(folder: Path) -> None:
    """Wait until the disk has all that is below *folder*."""
    for place, _, files in os.walk(folder):
        for name in files:
            sync_path(Path(place, name))
        sync_path(Path(place))


def _put_aside(old: Path, data_dir: Path, at: datetime) -> Path:
    aside = data_dir.with_name(f"{data_dir.name}.before-restore-{at:%Y%m%d-%H%M%S}")
    number = 1
    while os.path.lexists(aside):
        number += 1
        aside = aside.with_name(f"{data_dir.name}.before-restore-{at:%Y%m%d-%H%M%S}-{number}")
    old.rename(aside)
    sync_path(aside.parent)
    return aside
