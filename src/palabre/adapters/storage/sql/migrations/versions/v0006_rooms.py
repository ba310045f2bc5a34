"""Contexts, memories and media, where the database holds them."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make the tables."""
    _contexts()
    _archives()
    _memories()
    _media()


def _contexts() -> None:
    op.create_table(
        "contexts",
        sa.Column("channel", sa.String, primary_key=True),
        sa.Column("messages", sa.BigInteger, nullable=False),
        sa.Column("chars", sa.BigInteger, nullable=False),
        sa.Column("size_bytes", sa.BigInteger, nullable=False),
        sa.Column("archived_to", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("summary", sa.Text, nullable=False, server_default=""),
        sa.Column("compacted_entries", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("compactions", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("compacted_at_ms", sa.BigInteger),
    )
    op.create_table(
        "context_lines",
        sa.Column("id", _NUMBER, primary_key=True),
        sa.Column("channel", sa.String, nullable=False),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
        sa.Column("nick", sa.String, nullable=False),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("size_bytes", sa.Integer, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_context_lines_channel", "context_lines", ["channel", "id"])


def _archives() -> None:
    op.create_table(
        "archives",
        sa.Column("id", _NUMBER, primary_key=True),
        sa.Column("channel", sa.String, nullable=False),
        sa.Column("after_id", sa.BigInteger, nullable=False),
        sa.Column("last_id", sa.BigInteger, nullable=False),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
        sa.Column("entries", sa.BigInteger, nullable=False),
        sa.Column("size_bytes", sa.BigInteger, nullable=False),
        sqlite_autoincrement=True,
    )


def _memories() -> None:
    op.create_table(
        "memories",
        sa.Column("persona", sa.String, primary_key=True),
        sa.Column("content", sa.Text, nullable=False),
    )
    op.create_table(
        "memory_history",
        sa.Column("id", _NUMBER, primary_key=True),
        sa.Column("persona", sa.String, nullable=False, index=True),
        sa.Column("content", sa.Text, nullable=False),
        sqlite_autoincrement=True,
    )


def _media() -> None:
    op.create_table(
        "media",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("made_ms", sa.BigInteger, nullable=False),
        sa.Column("prompt", sa.Text, nullable=False),
        sa.Column("nick", sa.String, nullable=False),
        sa.Column("channel", sa.String, nullable=False),
        sa.Column("created_at_ms", sa.BigInteger, nullable=False),
        sa.Column("mime", sa.String, nullable=False),
        sa.Column("file_name", sa.String, nullable=False),
        sa.Column("size_bytes", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_media_kind", "media", ["kind", "made_ms", "id"])
    op.create_table(
        "media_pieces",
        sa.Column(
            "media_id", sa.String, sa.ForeignKey("media.id", ondelete="CASCADE"), primary_key=True
        ),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )
