"""`MediaStore` in SQLite or Postgres: contents in pieces, of which a part is read alone."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Row, func, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from palabre.adapters.storage.media_names import id_of
from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.holding import hold
from palabre.adapters.storage.sql.moments import from_ms, to_ms
from palabre.adapters.storage.sql.schema.rooms import MEDIA, MEDIA_PIECES
from palabre.adapters.storage.sql.signs import sayable
from palabre.core.media.errors import MediaFullError
from palabre.core.media.model import MediaItem, MediaKind, StoredMedia
from palabre.core.media.ports import MAX_LISTED, ContentPieces
from palabre.kernel.errors import StorageError

PIECE_BYTES = 256 * 1024
MIB = 1024 * 1024


class SqlMediaStore:
    """Keeps media in the database, and does not close that.

    Args:
        database: Where they are kept.
        max_bytes: Of all contents together; more is refused.
    """

    def __init__(self, database: Database, *, max_bytes: int) -> None:
        self._database = database
        self._max_bytes = max_bytes

    async def save(self, item: MediaItem, content: bytes) -> None:
        async with self._database.writing() as connection:
            await self._check_room(connection, len(content))
            await connection.execute(insert(MEDIA).values(_values(item, len(content))))
            for start in range(0, len(content), PIECE_BYTES):
                piece = {
                    "media_id": item.id,
                    "number": start // PIECE_BYTES,
                    "content": content[start : start + PIECE_BYTES],
                }
                await connection.execute(insert(MEDIA_PIECES).values(piece))

    async def latest(self, kind: MediaKind, count: int = MAX_LISTED) -> Sequence[MediaItem]:
        newest = select(MEDIA).where(MEDIA.c.kind == kind)
        newest = newest.order_by(MEDIA.c.made_ms.desc(), MEDIA.c.id.desc()).limit(count)
        async with self._database.reading() as connection:
            return [_item(row) for row in await connection.execute(newest)]

    async def find(self, kind: MediaKind, file_name: str) -> StoredMedia | None:
        item_id = id_of(file_name)
        if item_id is None:
            return None
        row = await self._row(item_id)
        if row is None or (row.kind, row.file_name) != (kind, file_name):
            return None
        return StoredMedia(_item(row), row.size_bytes)

    async def read(self, item: MediaItem, first: int = 0, last: int | None = None) -> ContentPieces:
        row = await self._row(item.id)
        if row is None:
            raise StorageError(detail="gone")
        stop = row.size_bytes if last is None else min(last + 1, row.size_bytes)
        place = first
        while place < stop:
            number, skipped = divmod(place, PIECE_BYTES)
            piece = (await self._piece(item.id, number))[skipped : skipped + stop - place]
            yield piece
            place += len(piece)

    async def _row(self, item_id: str) -> Row[Any] | None:
        async with self._database.reading() as connection:
            found = await connection.execute(select(MEDIA).where(MEDIA.c.id == item_id))
            return found.one_or_none()

    async def _piece(self, item_id: str, number: int) -> bytes:
        pieces = MEDIA_PIECES.c
        wanted = select(pieces.content).where(pieces.media_id == item_id, pieces.number == number)
        async with self._database.reading() as connection:
            content = await connection.scalar(wanted)
        if not content:
            raise StorageError(detail="gone")
        return bytes(content)

    async def _check_room(self, connection: AsyncConnection, size_bytes: int) -> None:
        await connection.run_sync(hold, MEDIA)
        kept_bytes = int(await connection.scalar(select(func.sum(MEDIA.c.size_bytes))) or 0)
        if kept_bytes + size_bytes > self._max_bytes:
            raise MediaFullError(limit_mb=self._max_bytes // MIB)


def _values(item: MediaItem, size_bytes: int) -> dict[str, object]:
    return {
        "id": item.id,
        "kind": item.kind,
        "made_ms": int(item.id.partition("-")[0]),
        "prompt": sayable(item.prompt),
        "nick": sayable(item.nick),
        "channel": sayable(item.channel),
        "created_at_ms": to_ms(item.created_at),
        "mime": item.mime,
        "file_name": item.file_name,
        "size_bytes": size_bytes,
    }


def _item(row: Row[Any]) -> MediaItem:
    return MediaItem(
        id=row.id,
        kind=row.kind,
        prompt=row.prompt,
        nick=row.nick,
        channel=row.channel,
        created_at=from_ms(row.created_at_ms),
        mime=row.mime,
        file_name=row.file_name,
    )
