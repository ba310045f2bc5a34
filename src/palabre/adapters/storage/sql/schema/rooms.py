"""Contexts of channels, what personas remember, and media, where the database holds them."""

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    Text,
)

from palabre.adapters.storage.sql.schema.metadata import METADATA, NUMBER

CONTEXTS = Table(
    "contexts",
    METADATA,
    Column("channel", String, primary_key=True),
    Column("messages", BigInteger, nullable=False),
    Column("chars", BigInteger, nullable=False),
    Column("size_bytes", BigInteger, nullable=False),
    Column("archived_to", BigInteger, nullable=False, server_default="0"),
    Column("summary", Text, nullable=False, server_default=""),
    Column("compacted_entries", BigInteger, nullable=False, server_default="0"),
    Column("compactions", BigInteger, nullable=False, server_default="0"),
    Column("compacted_at_ms", BigInteger),
)
"""One row a channel: the counts of its lines behind `archived_to`, and what stands for the others.

Whoever adds lines changes the row first, and so keeps the others of the channel waiting: the order
of its lines' ids is that of their coming.
"""

CONTEXT_LINES = Table(
    "context_lines",
    METADATA,
    Column("id", NUMBER, primary_key=True),
    Column("channel", String, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    Column("nick", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("text", Text, nullable=False),
    Column("size_bytes", Integer, nullable=False),
    Index("ix_context_lines_channel", "channel", "id"),
    sqlite_autoincrement=True,
)
"""What was said, as personas are told it; `size_bytes` is that of the line of a context's file."""

ARCHIVES = Table(
    "archives",
    METADATA,
    Column("id", NUMBER, primary_key=True),
    Column("channel", String, nullable=False),
    Column("after_id", BigInteger, nullable=False),
    Column("last_id", BigInteger, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    Column("entries", BigInteger, nullable=False),
    Column("size_bytes", BigInteger, nullable=False),
    sqlite_autoincrement=True,
)
"""Lines for which a summary stands: those of the channel behind `after_id`, up to `last_id`."""

MEMORIES = Table(
    "memories",
    METADATA,
    Column("persona", String, primary_key=True),
    Column("content", Text, nullable=False),
)
"""What a persona remembers, in JSON as in the file of seed 000 §11; empty for nothing yet."""

MEMORY_HISTORY = Table(
    "memory_history",
    METADATA,
    Column("id", NUMBER, primary_key=True),
    Column("persona", String, nullable=False, index=True),
    Column("content", Text, nullable=False),
    sqlite_autoincrement=True,
)
"""What a persona remembered before; the greatest id is the newest."""

MEDIA = Table(
    "media",
    METADATA,
    Column("id", String, primary_key=True),
    Column("kind", String, nullable=False),
    Column("made_ms", BigInteger, nullable=False),
    Column("prompt", Text, nullable=False),
    Column("nick", String, nullable=False),
    Column("channel", String, nullable=False),
    Column("created_at_ms", BigInteger, nullable=False),
    Column("mime", String, nullable=False),
    Column("file_name", String, nullable=False),
    Column("size_bytes", BigInteger, nullable=False),
    Index("ix_media_kind", "kind", "made_ms", "id"),
)
"""Pictures and music that were made; `made_ms` is the beginning of their id."""

MEDIA_PIECES = Table(
    "media_pieces",
    METADATA,
    Column("media_id", String, ForeignKey("media.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("content", LargeBinary, nullable=False),
)
"""Their contents in pieces of one size, from 0; the last may be shorter."""
