"""Search in Postgres: words by tsvector, vectors by pgvector."""

from collections.abc import Sequence

from sqlalchemy import Connection, bindparam, text
from sqlalchemy.ext.asyncio import AsyncConnection

from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.knowledge.rarity import REMEMBERED_TERMS, TermStatistics
from palabre.adapters.storage.sql.knowledge.term_choice import worth_asking
from palabre.adapters.storage.sql.vector_type import VectorType
from palabre.core.knowledge.model import EmbedderKey, Hit, WordHits
from palabre.core.knowledge.ports import Vector

K1, B = 1.2, 0.75
"""Of BM25, as FTS5 has them: both databases rank alike."""

# The analyser has taken the texts apart: Postgres's own parser would do so once more.
ADD_WORDS = text(
    """
    UPDATE chunks SET words = (
        SELECT string_agg(quote_literal(term) || ':' || places, ' ')::tsvector FROM (
            SELECT term, string_agg(place::text, ',') AS places
            FROM unnest(string_to_array(terms, ' ')) WITH ORDINALITY AS split (term, place)
            WHERE term <> '' GROUP BY term
        ) AS placed
    )
    WHERE document_id = :id
    """
)
_SIZE = text("SELECT count(*), avg(term_count) FROM chunks WHERE words IS NOT NULL")
_COUNT = text("SELECT count(*) FROM chunks WHERE words @@ CAST(:term AS tsquery)")
_FIND = text(
    f"""
    SELECT chunks.id, sum(
        idf * cardinality(positions) * ({K1} + 1)
        / (cardinality(positions) + {K1} * (1 - {B} + {B} * term_count / :mean))
    ) AS score
    FROM chunks
    CROSS JOIN LATERAL unnest(words) AS word (lexeme, positions, weights)
    JOIN unnest(CAST(:terms AS text[]), CAST(:idfs AS float8[])) AS asked (term, idf)
        ON term = lexeme
    WHERE words @@ CAST(:query AS tsquery)
    GROUP BY chunks.id ORDER BY score DESC, chunks.id LIMIT :limit
    """  # noqa: S608 - numbers of ours
)
_NEAREST = text(
    """
    SELECT chunk_id, 1 - (vector <=> :vector) AS cosine FROM vectors
    JOIN embedders ON embedders.id = embedder_id
    JOIN embeddings USING (embedder_id, document_id)
    WHERE ref = :ref AND dimensions = :dimensions
    ORDER BY vector <=> :vector, chunk_id LIMIT :limit
    """
).bindparams(bindparam("vector", type_=VectorType()))
_SIMILAR = text(
    """
    SELECT chunk_id, 1 - (vector <=> :vector) AS cosine FROM vectors
    JOIN embedders ON embedders.id = embedder_id
    JOIN embeddings USING (embedder_id, document_id)
    WHERE ref = :ref AND dimensions = :dimensions AND chunk_id = ANY(:ids)
    """
).bindparams(bindparam("vector", type_=VectorType()))
_VERSION = text("SELECT number FROM knowledge_version")


class PostgresIndex:
    """`SearchIndex` of Postgres."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known = TermStatistics()

    def stored(self, vector: Vector) -> Sequence[float]:
        return vector

    async def add_words(self, connection: AsyncConnection, document_id: str) -> None:
        await connection.execute(ADD_WORDS, {"id": document_id})

    async def remove_words(self, connection: AsyncConnection, document_id: str) -> None:
        """Do nothing: they go with the chunks."""

    async def words(self, terms: Sequence[str], limit: int) -> WordHits:
        return await self._database.read(self._words, terms, limit)

    async def nearest(self, embedder: EmbedderKey, vector: Vector, limit: int) -> list[Hit]:
        values = _values(embedder, vector) | {"limit": limit}
        async with self._database.reading() as connection:
            found = await connection.execute(_NEAREST, values)
            return [Hit(row.chunk_id, row.cosine) for row in found]

    async def similarities(
        self, embedder: EmbedderKey, vector: Vector, chunk_ids: Sequence[int]
    ) -> dict[int, float]:
        values = _values(embedder, vector) | {"ids": list(chunk_ids)}
        async with self._database.reading() as connection:
            found = await connection.execute(_SIMILAR, values)
            return {row.chunk_id: row.cosine for row in found}

    def _words(self, connection: Connection, terms: Sequence[str], limit: int) -> WordHits:
        known = self._statistics(connection, terms)
        asked = worth_asking(terms, known.frequency)
        weight = known.weight(asked, terms)
        if not asked:
            return WordHits((), weight)
        values = {
            "terms": asked,
            "idfs": [known.rarity(term) for term in asked],
            "query": " | ".join(map(_quoted, asked)),
            "mean": known.mean_terms,
            "limit": limit,
        }
        found = connection.execute(_FIND, values)
        return WordHits([Hit(row.id, row.score) for row in found], weight)

    def _statistics(self, connection: Connection, terms: Sequence[str]) -> TermStatistics:
        version = connection.execute(_VERSION).scalar_one()
        if self._known.version != version or len(self._known.frequency) > REMEMBERED_TERMS:
            chunks, mean = connection.execute(_SIZE).one()
            self._known = TermStatistics(version, chunks, float(mean or 1))
        frequency = self._known.frequency
        for term in terms:
            if term not in frequency:
                frequency[term] = connection.execute(_COUNT, {"term": _quoted(term)}).scalar_one()
        return self._known


def _values(embedder: EmbedderKey, vector: Vector) -> dict[str, object]:
    return {"ref": embedder.ref, "dimensions": embedder.dimensions, "vector": vector}


def _quoted(term: str) -> str:
    """Return *term* as a lexeme of a tsquery, in which nothing is a command."""
    return "'" + term.replace("\\", "\\\\").replace("'", "''") + "'"
