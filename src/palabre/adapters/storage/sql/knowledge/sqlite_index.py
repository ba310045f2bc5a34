"""Search in SQLite: words by FTS5, vectors in memory."""

import asyncio
import threading
from collections.abc import Sequence

import numpy as np
from sqlalchemy import Connection, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.knowledge.rarity import REMEMBERED_TERMS, TermStatistics
from palabre.adapters.storage.sql.knowledge.term_choice import MAX_ROWS, worth_asking
from palabre.adapters.storage.sql.knowledge.vector_matrix import Rows, VectorMatrix
from palabre.adapters.storage.sql.schema.knowledge import (
    EMBEDDERS,
    EMBEDDINGS,
    KNOWLEDGE_VERSION,
    VECTORS,
)
from palabre.core.knowledge.model import EmbedderKey, Hit, WordHits
from palabre.core.knowledge.ports import Vector

PIECE = 2000
"""Vectors that are read at once."""

ADD_WORDS = text(
    "INSERT INTO chunk_words (rowid, terms) SELECT id, terms FROM chunks WHERE document_id = :id"
)
_REMOVE = text(
    "INSERT INTO chunk_words (chunk_words, rowid, terms) "
    "SELECT 'delete', id, terms FROM chunks WHERE document_id = :id"
)
_COUNT = text(
    "SELECT count(*) FROM (SELECT 1 FROM chunk_words WHERE chunk_words MATCH :term LIMIT :most)"
)
_SIZE = text("SELECT coalesce(sum(chunk_count), 0) FROM documents")
_FIND = text(
    "SELECT rowid, bm25(chunk_words) AS score FROM chunk_words WHERE chunk_words MATCH :terms "
    "ORDER BY score, rowid LIMIT :limit"
)


class SqliteIndex:
    """`SearchIndex` of SQLite."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known = TermStatistics()
        self._loaded: tuple[EmbedderKey, int, VectorMatrix] | None = None
        self._loading = asyncio.Lock()

    def stored(self, vector: Vector) -> bytes:
        return np.asarray(vector, np.float32).tobytes()

    async def add_words(self, connection: AsyncConnection, document_id: str) -> None:
        await connection.execute(ADD_WORDS, {"id": document_id})

    async def remove_words(self, connection: AsyncConnection, document_id: str) -> None:
        await connection.execute(_REMOVE, {"id": document_id})

    async def words(self, terms: Sequence[str], limit: int) -> WordHits:
        return await self._database.read(self._words, terms, limit)

    async def nearest(self, embedder: EmbedderKey, vector: Vector, limit: int) -> list[Hit]:
        matrix = await self._matrix(embedder)
        return await asyncio.to_thread(matrix.nearest, vector, limit)

    async def similarities(
        self, embedder: EmbedderKey, vector: Vector, chunk_ids: Sequence[int]
    ) -> dict[int, float]:
        # As they were for `nearest`: what is gone since, `passages` leaves out.
        matrix = self._is_loaded(embedder, 0) or await self._matrix(embedder)
        return matrix.similarities(vector, chunk_ids)

    def _words(self, connection: Connection, terms: Sequence[str], limit: int) -> WordHits:
        known = self._statistics(connection, terms)
        asked = worth_asking(terms, known.frequency)
        weight = known.weight(asked, terms)
        if not asked:
            return WordHits((), weight)
        query = " OR ".join(map(_quoted, asked))
        found = connection.execute(_FIND, {"terms": query, "limit": limit})
        return WordHits([Hit(row.rowid, -row.score) for row in found], weight)

    def _statistics(self, connection: Connection, terms: Sequence[str]) -> TermStatistics:
        """Return what is known of *terms*; a frequency of `MAX_ROWS` + 1 stands for all more."""
        version = _version(connection)
        if self._known.version != version or len(self._known.frequency) > REMEMBERED_TERMS:
            self._known = TermStatistics(version, connection.execute(_SIZE).scalar_one())
        known = self._known
        for term in terms:
            if term not in known.frequency:
                values = {"term": _quoted(term), "most": MAX_ROWS + 1}
                known.frequency[term] = connection.execute(_COUNT, values).scalar_one()
        return known

    async def _matrix(self, embedder: EmbedderKey) -> VectorMatrix:
        """Return the vectors of *embedder* as they are now, read anew where they changed."""
        version = await self._database.read(_version)
        if self._is_loaded(embedder, version) is None:
            async with self._loading:
                if self._is_loaded(embedder, version) is None:
                    await self._load(embedder)
        assert self._loaded is not None
        return self._loaded[2]

    def _is_loaded(self, embedder: EmbedderKey, version: int) -> VectorMatrix | None:
        if self._loaded is None:
            return None
        key, at, matrix = self._loaded
        return matrix if key == embedder and at >= version else None

    async def _load(self, embedder: EmbedderKey) -> None:
        known = VectorMatrix.empty(embedder.dimensions)
        if self._loaded is not None and self._loaded[0] == embedder:
            known = self._loaded[2]
        stop = threading.Event()
        try:
            version, matrix = await self._database.read(_read, embedder, known, stop)
        except asyncio.CancelledError:
            stop.set()
            raise
        self._loaded = (embedder, version, matrix)


def _read(
    connection: Connection, embedder: EmbedderKey, known: VectorMatrix, stop: threading.Event
) -> tuple[int, VectorMatrix]:
    """Return the vectors of *embedder*, those of *known* not read again, and as of which version.

    What is written meanwhile may be in it; the next question then reads anew.
    """
    version = _version(connection)
    sizes = _sizes(connection, embedder)
    if sizes.keys() == known.spans.keys():
        return version, known
    added = {each: sizes[each] for each in sizes if each not in known.spans}
    rows = {each: _rows(connection, each, stop) for each in added}
    return version, known.changed(sizes.keys(), added, rows)


def _version(connection: Connection) -> int:
    return int(connection.execute(select(KNOWLEDGE_VERSION.c.number)).scalar_one())


def _sizes(connection: Connection, embedder: EmbedderKey) -> dict[int, int]:
    """Return the numbers of the embeddings of *embedder*, and how many vectors each has."""
    named = (EMBEDDERS.c.ref == embedder.ref) & (EMBEDDERS.c.dimensions == embedder.dimensions)
    counted = text(
        "SELECT e.number, count(*) FROM embeddings e JOIN chunks c USING (document_id) "
        "WHERE e.embedder_id = :id GROUP BY e.number ORDER BY e.number"
    )
    found = connection.execute(select(EMBEDDERS.c.id).where(named)).scalar()
    if found is None:
        return {}
    return {number: count for number, count in connection.execute(counted, {"id": found})}


def _rows(connection: Connection, number: int, stop: threading.Event) -> Rows:
    of_embedding = (VECTORS.c.embedder_id == EMBEDDINGS.c.embedder_id) & (
        VECTORS.c.document_id == EMBEDDINGS.c.document_id
    )
    wanted = (
        select(VECTORS.c.chunk_id, VECTORS.c.vector)
        .join(EMBEDDINGS, of_embedding)
        .where(EMBEDDINGS.c.number == number)
        .order_by(VECTORS.c.chunk_id)
    )
    found = connection.execution_options(yield_per=PIECE).execute(wanted)
    for piece in found.partitions():
        if stop.is_set():
            return
        yield [row.chunk_id for row in piece], b"".join(row.vector for row in piece)


def _quoted(term: str) -> str:
    """Return *term* as a string of FTS5, in which nothing is a command."""
    return '"' + term.replace('"', '""') + '"'
