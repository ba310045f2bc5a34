"""`KnowledgeStore` in SQLite or Postgres."""

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from sqlalchemy import Connection, Row, Select, case, delete, func, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.inserting import ignoring_insert
from palabre.adapters.storage.sql.knowledge.embedders import (
    known_embedder,
    of_key,
    read_choice,
    write_choice,
)
from palabre.adapters.storage.sql.knowledge.postgres_index import PostgresIndex
from palabre.adapters.storage.sql.knowledge.search_index import SearchIndex
from palabre.adapters.storage.sql.knowledge.sqlite_index import SqliteIndex
from palabre.adapters.storage.sql.schema.knowledge import (
    CHUNKS,
    DOCUMENTS,
    EMBEDDERS,
    EMBEDDINGS,
    VECTORS,
    bump,
)
from palabre.core.knowledge.model import (
    Document,
    EmbedderChoice,
    EmbedderKey,
    Hit,
    IndexedChunk,
    KeptChunk,
    Passage,
    SourceText,
    WordHits,
)
from palabre.core.knowledge.ports import Vector

PIECE = 500
"""Chunks that are written at once: the event loop must get its turn between them."""

_SEARCHED = DOCUMENTS.c.chunk_count > 0


class SqlKnowledgeStore:
    """Documents in the database; it does not close it."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._index: SearchIndex = (
            SqliteIndex(database) if database.address.is_sqlite else PostgresIndex(database)
        )

    async def count_searched(self) -> int:
        return await self._database.read(_count_searched)

    async def keep(
        self, document_id: str, text: SourceText, sha256: str, recipe: str, at: datetime
    ) -> str:
        of_source = DOCUMENTS.c.source == text.source
        async with self._database.writing() as connection:
            values = _values(document_id, text, sha256, recipe, at)
            await connection.execute(ignoring_insert(connection, DOCUMENTS), values)
            same = of_source & (DOCUMENTS.c.sha256 == sha256)
            kept = (await connection.execute(select(DOCUMENTS.c.id).where(same))).scalar_one()
            others = of_source & ~_SEARCHED & (DOCUMENTS.c.id != kept)
            await connection.execute(delete(DOCUMENTS).where(others))
            # The title is a part of what is found: another one makes the chunks anew.
            renamed = update(DOCUMENTS).where(same, DOCUMENTS.c.title != text.title)
            await connection.execute(renamed.values(title=text.title, recipe=""))
            return str(kept)

    async def documents(self, embedder: EmbedderKey | None = None) -> list[Document]:
        async with self._database.reading() as connection:
            found = await connection.execute(_described(embedder).order_by(DOCUMENTS.c.number))
            return [_document(row) for row in found]

    async def document(
        self, document_id: str, embedder: EmbedderKey | None = None
    ) -> Document | None:
        wanted = _described(embedder).where(DOCUMENTS.c.id == document_id)
        async with self._database.reading() as connection:
            row = (await connection.execute(wanted)).one_or_none()
            return _document(row) if row is not None else None

    async def text(self, document_id: str) -> SourceText | None:
        table = DOCUMENTS.c
        wanted = select(table.source, table.title, table.text, table.page_starts)
        async with self._database.reading() as connection:
            found = await connection.execute(wanted.where(table.id == document_id))
            row = found.one_or_none()
        if row is None:
            return None
        return SourceText(row.source, row.title, row.text, tuple(json.loads(row.page_starts)))

    async def remove(self, document_id: str) -> bool:
        async with self._database.writing() as connection:
            return await self._remove(connection, document_id)

    async def publish(self, document_id: str, chunks: Sequence[IndexedChunk], recipe: str) -> bool:
        async with self._database.writing() as connection:
            source = select(DOCUMENTS.c.source).where(DOCUMENTS.c.id == document_id)
            of = (await connection.execute(source)).scalar()
            if of is None:
                return False
            others = select(DOCUMENTS.c.id).where(
                DOCUMENTS.c.source == of, DOCUMENTS.c.id != document_id
            )
            for each in (await connection.execute(others)).scalars().all():
                await self._remove(connection, each)
            await self._clear(connection, document_id)
            await self._write_chunks(connection, document_id, chunks)
            await connection.execute(
                update(DOCUMENTS)
                .where(DOCUMENTS.c.id == document_id)
                .values(chunk_count=len(chunks), recipe=recipe)
            )
            await connection.run_sync(bump)
            return True

    async def chunks(self, document_id: str) -> list[KeptChunk]:
        async with self._database.reading() as connection:
            return _kept(await connection.execute(_chunks_of(document_id)))

    async def unembedded(
        self, document_id: str, embedder: EmbedderKey, limit: int
    ) -> list[KeptChunk]:
        done = (
            select(VECTORS.c.chunk_id)
            .join(EMBEDDERS, EMBEDDERS.c.id == VECTORS.c.embedder_id)
            .where(of_key(embedder), VECTORS.c.chunk_id == CHUNKS.c.id)
        )
        wanted = _chunks_of(document_id).where(~done.exists()).limit(limit)
        async with self._database.reading() as connection:
            return _kept(await connection.execute(wanted))

    async def save_vectors(
        self, document_id: str, embedder: EmbedderKey, vectors: Sequence[tuple[int, Vector]]
    ) -> None:
        async with self._database.writing() as connection:
            owner = await known_embedder(connection, embedder)
            if owner is None:
                return
            there = set((await connection.execute(_ids_of(document_id))).scalars().all())
            rows = [
                {
                    "embedder_id": owner,
                    "document_id": document_id,
                    "chunk_id": chunk_id,
                    "vector": self._index.stored(vector),
                }
                for chunk_id, vector in vectors
                if chunk_id in there
            ]
            if rows:
                await connection.execute(ignoring_insert(connection, VECTORS), rows)

    async def complete(self, document_id: str, embedder: EmbedderKey) -> bool:
        async with self._database.writing() as connection:
            owner = await known_embedder(connection, embedder)
            chunks = len((await connection.execute(_ids_of(document_id))).all())
            if owner is None or not chunks:
                return False
            counted = select(func.count()).where(
                VECTORS.c.embedder_id == owner, VECTORS.c.document_id == document_id
            )
            if (await connection.execute(counted)).scalar_one() != chunks:
                return False
            row = {"embedder_id": owner, "document_id": document_id}
            await connection.execute(ignoring_insert(connection, EMBEDDINGS), row)
            await connection.run_sync(bump)
            return True

    async def touch(self, document_id: str, at: datetime) -> None:
        async with self._database.writing() as connection:
            await connection.execute(
                update(DOCUMENTS).where(DOCUMENTS.c.id == document_id).values(touched_at_ms=_ms(at))
            )

    async def unfinished(
        self, recipe: str, embedder: EmbedderKey | None, before: datetime
    ) -> list[str]:
        described = _described(embedder).subquery()
        needs = [described.c.chunk_count == 0, described.c.recipe != recipe]
        if embedder is not None:
            needs.append(described.c.embedded == 0)
        wanted = select(described.c.id).where(or_(*needs), described.c.touched_at_ms < _ms(before))
        async with self._database.reading() as connection:
            found = await connection.execute(wanted.order_by(described.c.number))
            return list(found.scalars())

    async def choice(self) -> EmbedderChoice | None:
        return await self._database.read(read_choice)

    async def choose(
        self, choice: EmbedderChoice, instead_of: EmbedderChoice | None
    ) -> EmbedderChoice:
        async with self._database.writing() as connection:
            now = await connection.run_sync(read_choice)
            if now not in {None, instead_of}:
                return now
            await write_choice(connection, choice)
            await connection.run_sync(bump)
            return choice

    async def forget_vectors(self) -> None:
        async with self._database.writing() as connection:
            await connection.execute(delete(EMBEDDINGS))
            await connection.execute(delete(VECTORS))
            await connection.run_sync(bump)

    async def words(self, terms: Sequence[str], limit: int) -> WordHits:
        return await self._index.words(terms, limit)

    async def nearest(self, embedder: EmbedderKey, vector: Vector, limit: int) -> list[Hit]:
        return await self._index.nearest(embedder, vector, limit)

    async def similarities(
        self, embedder: EmbedderKey, vector: Vector, chunk_ids: Sequence[int]
    ) -> dict[int, float]:
        return await self._index.similarities(embedder, vector, chunk_ids)

    async def passages(self, chunk_ids: Sequence[int]) -> dict[int, Passage]:
        return await self._database.read(_passages, chunk_ids)

    async def _remove(self, connection: AsyncConnection, document_id: str) -> bool:
        await self._index.remove_words(connection, document_id)
        gone = delete(DOCUMENTS).where(DOCUMENTS.c.id == document_id)
        was_there = bool((await connection.execute(gone)).rowcount)
        await connection.run_sync(bump)
        return was_there

    async def _clear(self, connection: AsyncConnection, document_id: str) -> None:
        """Drop the chunks of a document and what was made of them."""
        await self._index.remove_words(connection, document_id)
        await connection.execute(delete(CHUNKS).where(CHUNKS.c.document_id == document_id))
        await connection.execute(delete(EMBEDDINGS).where(EMBEDDINGS.c.document_id == document_id))

    async def _write_chunks(
        self, connection: AsyncConnection, document_id: str, chunks: Sequence[IndexedChunk]
    ) -> None:
        for first in range(0, len(chunks), PIECE):
            rows = [_chunk_row(document_id, each) for each in chunks[first : first + PIECE]]
            await connection.execute(insert(CHUNKS), rows)
        await self._index.add_words(connection, document_id)


def _count_searched(connection: Connection) -> int:
    return connection.execute(select(func.count()).where(_SEARCHED)).scalar_one()


def _passages(connection: Connection, chunk_ids: Sequence[int]) -> dict[int, Passage]:
    document = DOCUMENTS.c
    wanted = (
        select(CHUNKS.c.id, document.id.label("document_id"), document.title)
        .add_columns(document.source, CHUNKS.c.text, CHUNKS.c.page)
        .join(DOCUMENTS, document.id == CHUNKS.c.document_id)
        .where(CHUNKS.c.id.in_(chunk_ids))
    )
    return {row.id: _passage(row) for row in connection.execute(wanted)}


def _values(
    document_id: str, text: SourceText, sha256: str, recipe: str, at: datetime
) -> dict[str, str | int]:
    return {
        "id": document_id,
        "source": text.source,
        "title": text.title,
        "sha256": sha256,
        "text": text.text,
        "chars": len(text.text),
        "page_starts": json.dumps(text.page_starts),
        "recipe": recipe,
        "chunk_count": 0,
        "added_at_ms": _ms(at),
        "touched_at_ms": _ms(at),
    }


def _chunk_row(document_id: str, indexed: IndexedChunk) -> dict[str, str | int | None]:
    return {
        "document_id": document_id,
        "start": indexed.chunk.start,
        "page": indexed.chunk.page,
        "text": indexed.chunk.text,
        "terms": " ".join(indexed.terms),
        "term_count": len(indexed.terms),
    }


def _described(embedder: EmbedderKey | None) -> Select[*tuple[object, ...]]:
    """Select documents without their texts; `embedded` is 1 where *embedder* has done its work."""
    table = DOCUMENTS.c
    embedded = (
        select(EMBEDDINGS.c.number)
        .join(EMBEDDERS, EMBEDDERS.c.id == EMBEDDINGS.c.embedder_id)
        .where(
            EMBEDDINGS.c.document_id == table.id,
            of_key(embedder) if embedder is not None else EMBEDDERS.c.id < 0,
        )
        .exists()
    )
    columns = [each for each in table if each.name != "text"]
    return select(*columns, case((embedded, 1), else_=0).label("embedded"))


def _document(row: Row[*tuple[object, ...]]) -> Document:
    return Document(
        id=row.id,
        source=row.source,
        title=row.title,
        sha256=row.sha256,
        recipe=row.recipe,
        added_at=datetime.fromtimestamp(row.added_at_ms / 1000, UTC),
        chars=row.chars,
        pages=len(json.loads(row.page_starts)) or None,
        chunks=row.chunk_count,
        embedded=bool(row.embedded),
    )


def _passage(row: Row[*tuple[object, ...]]) -> Passage:
    return Passage(row.document_id, row.title, row.source, row.text, row.page, 0.0)


def _chunks_of(document_id: str) -> Select[int, str]:
    wanted = select(CHUNKS.c.id, CHUNKS.c.text).where(CHUNKS.c.document_id == document_id)
    return wanted.order_by(CHUNKS.c.id)


def _ids_of(document_id: str) -> Select[int]:
    return select(CHUNKS.c.id).where(CHUNKS.c.document_id == document_id)


def _kept(rows: Iterable[Row[int, str]]) -> list[KeptChunk]:
    return [KeptChunk(row[0], row[1]) for row in rows]


def _ms(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)
