"""`MediaStore` in files: `media/{images,audio}/<id>.<extension>` with `<id>.json` beside it.

Content first, then its metadata: what has no metadata was never kept. Nothing is ever deleted but
the drafts of writes that were killed.
"""

import asyncio
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from stat import S_ISREG
from threading import Lock

import msgspec

from palabre.adapters.storage.atomic import write_atomically
from palabre.adapters.storage.data_dir import DataDirUnusableError, make_private
from palabre.adapters.storage.errors import storage_error
from palabre.adapters.storage.media_names import MEDIA_FILE, id_of
from palabre.core.media.errors import MediaFullError
from palabre.core.media.model import MEDIA_FOLDERS, MediaItem, MediaKind, StoredMedia
from palabre.core.media.ports import MAX_LISTED, ContentPieces
from palabre.core.telemetry.ports import Telemetry
from palabre.kernel.errors import StorageError

PIECE_BYTES = 256 * 1024
MAX_METADATA_BYTES = 64 * 1024
MIB = 1024 * 1024

_DRAFTS = ".[0-9]*-*.*.????????"


class _Metadata(msgspec.Struct, rename="camel"):
    id: str
    type: MediaKind
    prompt: str
    nick: str
    channel: str
    created_at: datetime
    mime: str
    filename: str


class FileMediaStore:
    """Keeps media below *data_dir*; nothing is made there before something is kept.

    Args:
        data_dir: Where `media/` is.
        telemetry: Counts metadata that makes no sense.
        max_bytes: Of everything together; more is refused.
    """

    def __init__(self, data_dir: Path, telemetry: Telemetry, *, max_bytes: int) -> None:
        self._media = data_dir / "media"
        self._telemetry = telemetry
        self._max_bytes = max_bytes
        self._lock = Lock()
        self._kept_bytes: int | None = None

    async def save(self, item: MediaItem, content: bytes) -> None:
        await asyncio.to_thread(self._save, item, content)

    async def latest(self, kind: MediaKind, count: int = MAX_LISTED) -> list[MediaItem]:
        return await asyncio.to_thread(self._latest, kind, count)

    async def find(self, kind: MediaKind, file_name: str) -> StoredMedia | None:
        return await asyncio.to_thread(self._find, kind, file_name)

    async def read(self, item: MediaItem, first: int = 0, last: int | None = None) -> ContentPieces:
        place = first
        while last is None or place <= last:
            most = PIECE_BYTES if last is None else min(PIECE_BYTES, last + 1 - place)
            piece = await asyncio.to_thread(_read, self._path(item), place, most)
            if not piece:
                return
            yield piece
            place += len(piece)

    def _save(self, item: MediaItem, content: bytes) -> None:
        with self._lock:
            self._make_room(len(content))
            write_atomically(self._path(item), content)
            try:
                write_atomically(self._folder(item.kind) / f"{item.id}.json", _as_json(item))
            except StorageError:
                self._path(item).unlink(missing_ok=True)
                raise

    def _make_room(self, size_bytes: int) -> None:
        """Count *size_bytes* as kept; look again before saying that it is full.

        Raises:
            MediaFullError: It is.
        """
        if self._kept_bytes is None or self._kept_bytes + size_bytes > self._max_bytes:
            self._kept_bytes = self._prepared()
        if self._kept_bytes + size_bytes > self._max_bytes:
            raise MediaFullError(limit_mb=self._max_bytes // MIB)
        self._kept_bytes += size_bytes

    def _prepared(self) -> int:
        """Make the folders, clear drafts away; return the bytes of what is kept."""
        kept_bytes = 0
        try:
            for folder in (self._media, *map(self._folder, MEDIA_FOLDERS)):
                make_private(folder)
                for draft in folder.glob(_DRAFTS):
                    draft.unlink(missing_ok=True)
                kept_bytes += sum(each.stat().st_size for each in os.scandir(folder))
        except DataDirUnusableError as fault:
            raise StorageError(detail=str(fault.data.get("detail", ""))) from fault
        except OSError as fault:
            raise storage_error(fault) from fault
        return kept_bytes

    def _latest(self, kind: MediaKind, count: int) -> list[MediaItem]:
        try:
            names = [each.name for each in self._folder(kind).iterdir()]
        except FileNotFoundError:
            return []
        except OSError as fault:
            raise storage_error(fault) from fault
        found: list[MediaItem] = []
        for name in _newest_first(names):
            if len(found) >= count:
                break
            item = self._item(kind, name)
            if item is not None:
                found.append(item)
        return found

    def _find(self, kind: MediaKind, file_name: str) -> StoredMedia | None:
        item_id = id_of(file_name)
        if item_id is None:
            return None
        item = self._item(kind, f"{item_id}.json")
        if item is None or item.file_name != file_name:
            return None
        try:
            status = self._path(item).lstat()
        except OSError:
            return None
        return StoredMedia(item, status.st_size) if S_ISREG(status.st_mode) else None

    def _item(self, kind: MediaKind, name: str) -> MediaItem | None:
        """Return what the metadata *name* says; None if it is not there or makes no sense."""
        try:
            content = _read(self._folder(kind) / name, 0, MAX_METADATA_BYTES)
            return _from_json(content, kind, name)
        except StorageError:
            return None
        except (msgspec.MsgspecError, RecursionError, ValueError):
            self._telemetry.count("media_unreadable")
            return None

    def _folder(self, kind: MediaKind) -> Path:
        return self._media / MEDIA_FOLDERS[kind]

    def _path(self, item: MediaItem) -> Path:
        return self._folder(item.kind) / item.file_name


def _newest_first(names: list[str]) -> Iterator[str]:
    matches = [match for match in map(MEDIA_FILE.fullmatch, names) if match]
    metadata = [match for match in matches if match["extension"] == "json"]
    newest = sorted(metadata, key=lambda match: (int(match["ms"]), match["id"]), reverse=True)
    return (match[0] for match in newest)


def _read(path: Path, first: int, most: int) -> bytes:
    """Return at most *most* bytes from *first* on.

    Raises:
        StorageError: It is not there, or is no plain file.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            return os.pread(descriptor, most, first)
        finally:
            os.close(descriptor)
    except OSError as fault:
        raise storage_error(fault) from fault


def _as_json(item: MediaItem) -> bytes:
    return msgspec.json.format(msgspec.json.encode(item.described), indent=2) + b"\n"


def _from_json(content: bytes, kind: MediaKind, name: str) -> MediaItem:
    read = msgspec.json.decode(content, type=_Metadata)
    item_id = id_of(read.filename)
    if item_id is None or f"{item_id}.json" != name:
        raise ValueError(name)
    if (read.id, read.type) != (item_id, kind):
        raise ValueError(name)
    created_at = read.created_at.replace(tzinfo=read.created_at.tzinfo or UTC)
    return MediaItem(
        id=read.id,
        kind=kind,
        prompt=read.prompt,
        nick=read.nick,
        channel=read.channel,
        created_at=created_at.astimezone(UTC),
        mime=read.mime,
        file_name=read.filename,
    )
