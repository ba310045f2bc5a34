"""Bring in pictures and music that the database lacks."""

import sys
from pathlib import Path

from palabre.adapters.storage.file_import.counts import Brought
from palabre.adapters.storage.media_files import FileMediaStore
from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.media import SqlMediaStore
from palabre.core.media.model import MEDIA_FOLDERS, MediaItem
from palabre.core.media.ports import MediaStore
from palabre.core.telemetry.ports import Telemetry
from palabre.kernel.errors import StorageError

EVERY = sys.maxsize


async def import_media(data_dir: Path, database: Database, telemetry: Telemetry) -> Brought:
    """Bring the media below *data_dir* into *database*, whatever room they take.

    Raises:
        StorageError: The database fails.
    """
    brought = Brought()
    files = FileMediaStore(data_dir, telemetry, max_bytes=EVERY)
    rows = SqlMediaStore(database, max_bytes=EVERY)
    for kind in MEDIA_FOLDERS:
        for item in reversed(await files.latest(kind, EVERY)):
            if await rows.find(kind, item.file_name):
                brought.note(is_new=False)
                continue
            content = await _content(files, item)
            if content is None:
                brought.unreadable.append(item.file_name)
            else:
                await rows.save(item, content)
                brought.note(is_new=True)
    return brought


async def _content(files: MediaStore, item: MediaItem) -> bytes | None:
    try:
        return b"".join([piece async for piece in files.read(item)])
    except StorageError:
        return None
