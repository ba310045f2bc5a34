"""Open a backup that somebody gives us: all of it is checked before any of it is used."""

import hashlib
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from palabre.adapters.storage.backup.data_files import is_kept, is_safe
from palabre.adapters.storage.backup.errors import ArchiveRefusedError
from palabre.adapters.storage.backup.manifest import (
    FILES,
    MAX_MANIFEST_BYTES,
    NAME,
    TABLES,
    Manifest,
    Member,
    read_manifest,
)
from palabre.adapters.storage.errors import reason
from palabre.adapters.storage.sql.migrating import HEAD

MAX_MEMBERS = 500_000
MAX_LINE_BYTES = 64 * 1024 * 1024
"""Of one row; the longest texts that are kept are far shorter."""

PIECE_BYTES = 256 * 1024

_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
_IS_ENCRYPTED = 0x1
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError)


@dataclass(frozen=True, slots=True)
class Archive:
    """A backup whose directory makes sense."""

    packed: zipfile.ZipFile
    manifest: Manifest

    def verify(self, progress: Callable[[int], None]) -> None:
        """Read every member and compare its size and hash; *progress* is told the bytes so far.

        Raises:
            ArchiveRefusedError: One is not what the manifest says.
        """
        done = 0
        for member in self.manifest.members:
            for piece in self.pieces(member):
                done += len(piece)
                progress(done)

    def pieces(self, member: Member) -> Iterator[bytes]:
        """Yield what *member* holds.

        Raises:
            ArchiveRefusedError: At its end, if it was not what the manifest says.
        """
        digest, left = hashlib.sha256(), member.size_bytes
        try:
            with self.packed.open(member.name) as stream:
                while piece := stream.read(PIECE_BYTES):
                    left -= len(piece)
                    if left < 0:
                        break
                    digest.update(piece)
                    yield piece
        except OSError as fault:
            raise ArchiveRefusedError("unreadable", detail=reason(fault)) from fault
        except _DAMAGE as fault:
            raise ArchiveRefusedError("damaged", name=member.name) from fault
        if left or digest.hexdigest() != member.sha256:
            raise ArchiveRefusedError("damaged", name=member.name)

    def lines(self, member: Member) -> Iterator[bytes]:
        """Yield the lines of *member*, without their ends."""
        rest: list[bytes] = []
        rest_bytes = 0
        for piece in self.pieces(member):
            first, *others = piece.split(b"\n")
            rest.append(first)
            rest_bytes += len(first)
            if rest_bytes > MAX_LINE_BYTES:
                break
            if others:
                yield b"".join(rest)
                yield from others[:-1]
                rest, rest_bytes = others[-1:], len(others[-1])
        if rest_bytes:
            raise ArchiveRefusedError("damaged", name=member.name)


@contextmanager
def opened_archive(path: Path) -> Iterator[Archive]:
    """Open the backup *path*; its members are not read yet.

    Raises:
        ArchiveRefusedError: It is none, a newer program made it, or its directory holds what no
            backup does: links, devices, names that lead elsewhere, the same name twice.
    """
    try:
        packed = zipfile.ZipFile(path)
    except OSError as fault:
        raise ArchiveRefusedError("unreadable", detail=reason(fault)) from fault
    except _DAMAGE as fault:
        raise ArchiveRefusedError("no_zip") from fault
    with packed:
        infos = _infos(packed)
        manifest = read_manifest(_manifest(packed, infos), HEAD)
        _compare(infos, manifest)
        yield Archive(packed, manifest)


def _infos(packed: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    found = packed.infolist()
    if len(found) > MAX_MEMBERS:
        raise ArchiveRefusedError("too_many", limit=MAX_MEMBERS)
    infos: dict[str, zipfile.ZipInfo] = {}
    for info in found:
        if info.filename in infos:
            raise ArchiveRefusedError("twice", name=_shown(info.filename))
        _check(info)
        infos[info.filename] = info
    _check_folders(infos)
    return infos


def _check(info: zipfile.ZipInfo) -> None:
    name, kind = info.filename, stat.S_IFMT(info.external_attr >> 16)
    # zipfile cuts names at a NUL: what it made of the name must be the name.
    if info.orig_filename != name or not _is_ours(name):
        raise ArchiveRefusedError("bad_name", name=_shown(info.orig_filename))
    if kind not in {0, stat.S_IFREG}:
        raise ArchiveRefusedError("no_file", name=name)
    if info.flag_bits & _IS_ENCRYPTED or info.compress_type not in _METHODS:
        raise ArchiveRefusedError("damaged", name=name)


def _is_ours(name: str) -> bool:
    if name.startswith(FILES):
        below = name.removeprefix(FILES)
        return is_safe(below) and is_kept(below)
    return name == NAME or (name.startswith(TABLES) and is_safe(name))


def _check_folders(infos: dict[str, zipfile.ZipInfo]) -> None:
    for name in infos:
        folder = name.rpartition("/")[0]
        while folder:
            if folder in infos:
                raise ArchiveRefusedError("twice", name=folder)
            folder = folder.rpartition("/")[0]


def _manifest(packed: zipfile.ZipFile, infos: dict[str, zipfile.ZipInfo]) -> bytes:
    if NAME not in infos or infos[NAME].file_size > MAX_MANIFEST_BYTES:
        raise ArchiveRefusedError("no_manifest")
    try:
        with packed.open(NAME) as stream:
            return stream.read(MAX_MANIFEST_BYTES)
    except OSError as fault:
        raise ArchiveRefusedError("unreadable", detail=reason(fault)) from fault
    except _DAMAGE as fault:
        raise ArchiveRefusedError("damaged", name=NAME) from fault


def _compare(infos: dict[str, zipfile.ZipInfo], manifest: Manifest) -> None:
    """Demand that the directory and the manifest speak of the same members and sizes."""
    sizes = {name: info.file_size for name, info in infos.items() if name != NAME}
    for member in manifest.members:
        if sizes.pop(member.name, None) != member.size_bytes:
            raise ArchiveRefusedError("damaged", name=_shown(member.name))
    for name in sizes:
        raise ArchiveRefusedError("stranger", name=name)


def _shown(name: str) -> str:
    """Return *name* with nothing in it that a terminal would obey."""
    return name[:200].encode("unicode_escape").decode()
