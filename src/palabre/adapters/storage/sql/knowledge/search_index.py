"""What each database does its own way: finding words, and what is near."""

from collections.abc import Sequence
from typing import Protocol

from sqlalchemy.ext.asyncio import AsyncConnection

from palabre.core.knowledge.model import EmbedderKey, Hit, WordHits
from palabre.core.knowledge.ports import Vector


class SearchIndex(Protocol):
    """The part of a store that searches."""

    def stored(self, vector: Vector) -> bytes | Sequence[float]:
        """Return *vector* as the column takes it."""
        ...

    async def add_words(self, connection: AsyncConnection, document_id: str) -> None:
        """Let the chunks of a document be found, in the transaction of *connection*."""
        ...

    async def remove_words(self, connection: AsyncConnection, document_id: str) -> None:
        """Let them be found no more; before they are deleted."""
        ...

    async def words(self, terms: Sequence[str], limit: int) -> WordHits:
        """See `KnowledgeStore.words`."""
        ...

    async def nearest(self, embedder: EmbedderKey, vector: Vector, limit: int) -> list[Hit]:
        """See `KnowledgeStore.nearest`."""
        ...

    async def similarities(
        self, embedder: EmbedderKey, vector: Vector, chunk_ids: Sequence[int]
    ) -> dict[int, float]:
        """See `KnowledgeStore.similarities`."""
        ...
