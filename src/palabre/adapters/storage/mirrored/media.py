"""`MediaStore` that is followed by another."""

from collections.abc import Sequence

from palabre.adapters.storage.mirrored.failures import forgiven
from palabre.core.media.model import MediaItem, MediaKind, StoredMedia
from palabre.core.media.ports import MAX_LISTED, ContentPieces, MediaStore
from palabre.core.telemetry.ports import Telemetry


class MirroredMediaStore:
    """Answers from *store*; *mirror* gets what was kept."""

    def __init__(self, store: MediaStore, mirror: MediaStore, telemetry: Telemetry) -> None:
        self._store = store
        self._mirror = mirror
        self._telemetry = telemetry

    async def save(self, item: MediaItem, content: bytes) -> None:
        await self._store.save(item, content)
        with forgiven(self._telemetry, item.file_name):
            await self._mirror.save(item, content)

    async def latest(self, kind: MediaKind, count: int = MAX_LISTED) -> Sequence[MediaItem]:
        return await self._store.latest(kind, count)

    async def find(self, kind: MediaKind, file_name: str) -> StoredMedia | None:
        return await self._store.find(kind, file_name)

    def read(self, item: MediaItem, first: int = 0, last: int | None = None) -> ContentPieces:
        return self._store.read(item, first, last)
