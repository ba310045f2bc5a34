"""Documents, their chunks and their vectors."""

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    ForeignKey,
    Integer,
    LargeBinary,
    String,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy.dialects.postgresql import TSVECTOR

from palabre.adapters.storage.sql.schema.metadata import METADATA, NUMBER
from palabre.adapters.storage.sql.vector_type import VectorType

DOCUMENTS = Table(
    "documents",
    METADATA,
    Column("number", NUMBER, primary_key=True),
    Column("id", String, nullable=False, unique=True),
    Column("source", String, nullable=False),
    Column("title", String, nullable=False),
    Column("sha256", String(64), nullable=False),
    Column("text", Text, nullable=False),
    Column("chars", Integer, nullable=False),
    Column("page_starts", Text, nullable=False),
    Column("recipe", String, nullable=False),
    Column("chunk_count", Integer, nullable=False),
    Column("added_at_ms", BigInteger, nullable=False),
    Column("touched_at_ms", BigInteger, nullable=False),
    UniqueConstraint("source", "sha256"),
)
"""Texts that are kept; `chunk_count` is 0 until they are found by their words."""

CHUNKS = Table(
    "chunks",
    METADATA,
    Column("id", NUMBER, primary_key=True),
    Column(
        "document_id",
        String,
        ForeignKey("documents.id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    ),
    Column("start", Integer, nullable=False),
    Column("page", Integer),
    Column("text", Text, nullable=False),
    Column("terms", Text, nullable=False),
    Column("term_count", Integer, nullable=False),
    Column("words", TSVECTOR().with_variant(Text(), "sqlite")),
    sqlite_autoincrement=True,
)
"""Pieces of documents. Only Postgres fills `words`; SQLite has `chunk_words` (FTS5) instead."""

EMBEDDERS = Table(
    "embedders",
    METADATA,
    Column("id", NUMBER, primary_key=True),
    Column("ref", String, nullable=False),
    Column("dimensions", Integer, nullable=False),
    Column("wished", String, nullable=False, server_default=""),
    UniqueConstraint("ref", "dimensions"),
    sqlite_autoincrement=True,
)
"""By whose vectors documents are found: one row, or none before the first vector.

A number is never used twice, so that vectors of an earlier embedder are not taken for its own.
"""

VECTORS = Table(
    "vectors",
    METADATA,
    Column(
        "embedder_id",
        NUMBER,
        ForeignKey("embedders.id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("document_id", String, ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True),
    Column(
        "chunk_id",
        NUMBER,
        ForeignKey("chunks.id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
        index=True,
    ),
    Column("vector", VectorType().with_variant(LargeBinary(), "sqlite"), nullable=False),
)
"""Vectors of length 1."""

EMBEDDINGS = Table(
    "embeddings",
    METADATA,
    Column("number", NUMBER, primary_key=True),
    Column("embedder_id", NUMBER, ForeignKey("embedders.id", ondelete="CASCADE"), nullable=False),
    Column("document_id", String, ForeignKey("documents.id", ondelete="CASCADE"), nullable=False),
    UniqueConstraint("embedder_id", "document_id"),
    sqlite_autoincrement=True,
)
"""Documents of which all chunks have a vector: those that are found by their meaning.

A number is never used twice: who remembers it knows whether the vectors are still those.
"""

KNOWLEDGE_VERSION = Table(
    "knowledge_version",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("number", BigInteger, nullable=False),
)
"""One row; its number grows whenever what is found may change, in whatever process."""


def bump(connection: Connection) -> None:
    """Tell every process that what is found may have changed."""
    table = KNOWLEDGE_VERSION
    connection.execute(table.update().values(number=table.c.number + 1))
