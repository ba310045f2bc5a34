"""`manifest.json`: what a backup holds."""

import re
from datetime import datetime
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from palabre.adapters.storage.backup.errors import ArchiveRefusedError

FORMAT = 1
"""Of backups. One that old programs could not read gets the next number."""

NAME = "manifest.json"
MAX_MANIFEST_BYTES = 256 * 1024 * 1024
TABLES, FILES = "tables/", "files/"

Count = Annotated[int, Meta(ge=0, le=2**62)]
Word = Annotated[str, Meta(max_length=100)]

_REVISION = re.compile(r"[0-9]{4}")
_WORD = re.compile(r"[a-z][a-z0-9_]{0,62}")


class TableRows(msgspec.Struct, rename="camel", frozen=True):
    """One table: `tables/<name>.jsonl` has a list a row, its values in the order of *columns*."""

    name: str
    columns: tuple[str, ...]
    rows: Count


class Member(msgspec.Struct, rename="camel", frozen=True):
    """One member of the archive, by its bytes as they are unpacked."""

    name: str
    size_bytes: Count
    sha256: str


class Manifest(msgspec.Struct, rename="camel", frozen=True, kw_only=True):
    """What a backup holds.

    Attributes:
        program: Version of the program that made it.
        schema_revision: Of the database; None where there was none.
        database: What it was copied from.
        sequences: The last number that was given, by table, or by sequence for those of no table.
        omitted: Tables that are left empty on purpose.
        left_out: Files that are no plain files, and so are not in it.
    """

    format: int = FORMAT
    program: Word
    created_at: datetime
    database: Literal["sqlite", "postgres"]
    schema_revision: str | None
    tables: tuple[TableRows, ...]
    sequences: dict[str, Count]
    members: tuple[Member, ...]
    has_media: bool
    omitted: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def files(self) -> tuple[Member, ...]:
        """Those that lie below the data dir."""
        return tuple(each for each in self.members if each.name.startswith(FILES))

    @property
    def rows(self) -> int:
        """Rows of all tables."""
        return sum(each.rows for each in self.tables)

    @property
    def size_bytes(self) -> int:
        """Of everything, unpacked."""
        return sum(each.size_bytes for each in self.members)


class _Format(msgspec.Struct):
    format: int


def write_manifest(manifest: Manifest) -> bytes:
    """Return the member's content."""
    return msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n"


def read_manifest(content: bytes, newest_revision: str) -> Manifest:
    """Return what *content* says.

    Raises:
        ArchiveRefusedError: It makes no sense, or a newer program has written it.
    """
    try:
        found = msgspec.json.decode(content, type=_Format)
        if found.format > FORMAT:
            raise ArchiveRefusedError("newer_format", found=found.format, known=FORMAT)
        manifest = msgspec.json.decode(content, type=Manifest)
    except (msgspec.MsgspecError, RecursionError) as fault:
        raise ArchiveRefusedError("no_manifest") from fault
    _check(manifest, newest_revision)
    return manifest


def _check(manifest: Manifest, newest_revision: str) -> None:
    revision = manifest.schema_revision
    if revision is not None and not _REVISION.fullmatch(revision):
        raise ArchiveRefusedError("no_manifest")
    if revision is not None and revision > newest_revision:
        raise ArchiveRefusedError("newer_schema", found=revision, known=newest_revision)
    words = [each.name for each in manifest.tables]
    words += [column for each in manifest.tables for column in each.columns]
    members = {each.name for each in manifest.members}
    tables = {f"{TABLES}{each.name}.jsonl" for each in manifest.tables}
    has_tables = tables == {each for each in members if each.startswith(TABLES)}
    if not all(map(_WORD.fullmatch, words)) or not has_tables:
        raise ArchiveRefusedError("no_manifest")
    if len(members) != len(manifest.members) or len(tables) != len(manifest.tables):
        raise ArchiveRefusedError("no_manifest")
    if tables and revision is None:
        raise ArchiveRefusedError("no_manifest")
