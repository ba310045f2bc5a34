"""Write a backup while the program runs: a ZIP of tables and files, and their hashes."""

import hashlib
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from palabre.adapters.storage.backup.data_files import DataFile, files_below, opened, pieces
from palabre.adapters.storage.backup.errors import NothingToBackUpError
from palabre.adapters.storage.backup.manifest import (
    FILES,
    NAME,
    TABLES,
    Manifest,
    Member,
    TableRows,
    write_manifest,
)
from palabre.adapters.storage.backup.reading_tables import OMITTED, Copied, Snapshot, snapshot_of
from palabre.adapters.storage.sql.address import DatabaseAddress

Progress = Callable[[int, int], None]
"""Takes how much is done, and how much there is to do, in bytes or what is like them."""

PERSONAS = "personas"
MEDIA_TABLES = ("media", "media_pieces")
ROW_BYTES = 200
"""What a row counts as, before it was read."""

_PACKED = (".gz", ".png", ".jpg", ".jpeg", ".webp", ".mp3", ".ogg", ".flac", ".zip", ".charx")
_OWNERS = 0o100600 << 16


@dataclass(frozen=True, slots=True)
class Source:
    """What a backup is made of.

    Attributes:
        data_dir: Where files are.
        personas: This installation's own personas, if they are elsewhere. Those in the data dir
            are not used then, and left out.
        excluded: Files and folders below the data dir that can be made again.
    """

    address: DatabaseAddress
    data_dir: Path
    personas: Path | None = None
    excluded: frozenset[Path] = frozenset()


def write_backup(
    source: Source, out: BinaryIO, *, program: str, at: datetime, media: bool, progress: Progress
) -> Manifest:
    """Write all of *source* into *out* and return what is in it.

    The database is read as it is at one moment, the files after that: what the database speaks
    of is there. Each file of lines ends with a whole line.

    Raises:
        NothingToBackUpError: There is no data dir.
        DatabaseTooNewError: A newer version of the program has written the database.
        StorageError: Something cannot be read.
        OSError: *out* cannot be written.
    """
    if not source.data_dir.is_dir():
        raise NothingToBackUpError(path=str(source.data_dir))
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        backup = _Backup(packed, at, progress)
        with _snapshot(source) as snapshot:
            tables = [each for each in snapshot.tables if media or each.name not in MEDIA_TABLES]
            files, left_out = _files(source, media=media)
            backup.expect(files, tables)
            rows = tuple(backup.add_table(snapshot, each) for each in tables)
        for file in files:
            backup.add_file(file)
        manifest = Manifest(
            program=program,
            created_at=at,
            database="sqlite" if source.address.is_sqlite else "postgres",
            schema_revision=snapshot.revision,
            tables=rows,
            sequences=snapshot.sequences,
            members=tuple(backup.members),
            has_media=media,
            omitted=OMITTED if media else (*OMITTED, *MEDIA_TABLES),
            left_out=tuple(left_out),
        )
        backup.add_manifest(manifest)
    return manifest


@contextmanager
def _snapshot(source: Source) -> Iterator[Snapshot]:
    file = source.address.file
    if file is not None and not file.exists():
        yield Snapshot(None, None, (), {})
        return
    with snapshot_of(source.address) as snapshot:
        yield snapshot


def _files(source: Source, *, media: bool) -> tuple[list[DataFile], list[str]]:
    if source.personas is None:
        return files_below(source.data_dir, source.excluded, media=media)
    unused = source.data_dir / PERSONAS
    files, left_out = files_below(source.data_dir, source.excluded | {unused}, media=media)
    own, others = files_below(source.personas)
    files += [replace(each, name=f"{PERSONAS}/{each.name}") for each in own]
    left_out += [f"{PERSONAS}/{each}" for each in others]
    return files, [*left_out, *([str(unused)] if unused.exists() else [])]


@dataclass(slots=True)
class _Backup:
    """A backup that is being written."""

    packed: zipfile.ZipFile
    at: datetime
    progress: Progress
    members: list[Member] = field(default_factory=list)
    done: int = 0
    total: int = 0

    def expect(self, files: Iterable[DataFile], tables: Iterable[Copied]) -> None:
        self.total = sum(each.size_bytes for each in files)
        self.total += sum(each.count * ROW_BYTES for each in tables)

    def add_table(self, snapshot: Snapshot, copied: Copied) -> TableRows:
        count = 0

        def lines() -> Iterator[bytes]:
            nonlocal count
            for piece in snapshot.lines(copied):
                rows = piece.count(b"\n")
                count += rows
                self._tell(rows * ROW_BYTES)
                yield piece

        self._add(f"{TABLES}{copied.name}.jsonl", lines())
        return TableRows(copied.name, copied.columns, count)

    def add_file(self, file: DataFile) -> None:
        with opened(file) as descriptor:
            if descriptor is not None:
                self._add(f"{FILES}{file.name}", self._told(pieces(descriptor, file.name)))

    def add_manifest(self, manifest: Manifest) -> None:
        with self.packed.open(self._info(NAME), "w", force_zip64=True) as member:
            member.write(write_manifest(manifest))
        self.progress(self.total, self.total)

    def _add(self, name: str, content: Iterable[bytes]) -> None:
        digest, size_bytes = hashlib.sha256(), 0
        with self.packed.open(self._info(name), "w", force_zip64=True) as member:
            for piece in content:
                digest.update(piece)
                size_bytes += len(piece)
                member.write(piece)
        self.members.append(Member(name, size_bytes, digest.hexdigest()))

    def _info(self, name: str) -> zipfile.ZipInfo:
        info = zipfile.ZipInfo(name, self.at.timetuple()[:6])
        info.external_attr = _OWNERS
        is_packed = name.lower().endswith(_PACKED)
        info.compress_type = zipfile.ZIP_STORED if is_packed else zipfile.ZIP_DEFLATED
        return info

    def _told(self, content: Iterable[bytes]) -> Iterator[bytes]:
        for piece in content:
            yield piece
            self._tell(len(piece))

    def _tell(self, units: int) -> None:
        self.done += units
        self.progress(self.done, self.total)
