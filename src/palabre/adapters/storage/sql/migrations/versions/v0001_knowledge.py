"""Documents, their chunks and their vectors."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make the tables."""
    is_postgres = op.get_bind().dialect.name == "postgresql"
    _documents()
    _chunks()
    _embedders()
    op.create_table(
        "knowledge_version",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("number", sa.BigInteger, nullable=False),
    )
    op.execute("INSERT INTO knowledge_version (id, number) VALUES (1, 1)")
    (_postgres if is_postgres else _sqlite)()


def _documents() -> None:
    op.create_table(
        "documents",
        sa.Column("number", _NUMBER, primary_key=True),
        sa.Column("id", sa.String, nullable=False, unique=True),
        sa.Column("source", sa.String, nullable=False),
        sa.Column("title", sa.String, nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("chars", sa.Integer, nullable=False),
        sa.Column("page_starts", sa.Text, nullable=False),
        sa.Column("recipe", sa.String, nullable=False),
        sa.Column("chunk_count", sa.Integer, nullable=False),
        sa.Column("added_at_ms", sa.BigInteger, nullable=False),
        sa.Column("touched_at_ms", sa.BigInteger, nullable=False),
        sa.UniqueConstraint("source", "sha256"),
    )


def _chunks() -> None:
    op.create_table(
        "chunks",
        sa.Column("id", _NUMBER, primary_key=True),
        sa.Column(
            "document_id",
            sa.String,
            sa.ForeignKey("documents.id", ondelete="CASCADE"),
            nullable=False,
            index=True,
        ),
        sa.Column("start", sa.Integer, nullable=False),
        sa.Column("page", sa.Integer),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("terms", sa.Text, nullable=False),
        sa.Column("term_count", sa.Integer, nullable=False),
        sqlite_autoincrement=True,
    )


def _embedders() -> None:
    op.create_table(
        "embedders",
        sa.Column("id", _NUMBER, primary_key=True),
        sa.Column("ref", sa.String, nullable=False),
        sa.Column("dimensions", sa.Integer, nullable=False),
        sa.UniqueConstraint("ref", "dimensions"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "embeddings",
        sa.Column("number", _NUMBER, primary_key=True),
        sa.Column(
            "embedder_id",
            _NUMBER,
            sa.ForeignKey("embedders.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column(
            "document_id",
            sa.String,
            sa.ForeignKey("documents.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.UniqueConstraint("embedder_id", "document_id"),
        sqlite_autoincrement=True,
    )


def _vectors(kind: str) -> None:
    op.execute(
        f"""
        CREATE TABLE vectors (
            embedder_id BIGINT NOT NULL REFERENCES embedders (id) ON DELETE CASCADE,
            document_id VARCHAR NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
            chunk_id BIGINT NOT NULL REFERENCES chunks (id) ON DELETE CASCADE,
            vector {kind} NOT NULL,
            PRIMARY KEY (embedder_id, document_id, chunk_id)
        )
        """
    )
    op.create_index("ix_vectors_chunk_id", "vectors", ["chunk_id"])


def _sqlite() -> None:
    op.add_column("chunks", sa.Column("words", sa.Text))
    op.execute(
        "CREATE VIRTUAL TABLE chunk_words USING fts5(terms, content='', tokenize='unicode61')"
    )
    _vectors("BLOB")


def _postgres() -> None:
    op.execute("CREATE EXTENSION IF NOT EXISTS vector")
    op.execute("ALTER TABLE chunks ADD COLUMN words TSVECTOR")
    op.execute("CREATE INDEX ix_chunks_words ON chunks USING gin (words)")
    _vectors("VECTOR")
