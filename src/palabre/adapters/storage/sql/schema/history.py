"""What was said, by day: to be read again, searched and counted."""

from sqlalchemy import BigInteger, Column, Index, Integer, String, Table, Text

from palabre.adapters.storage.sql.schema.metadata import METADATA, NUMBER

MESSAGES = Table(
    "messages",
    METADATA,
    Column("id", NUMBER, primary_key=True, autoincrement=False),
    Column("day", String(10), nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    Column("channel", String, nullable=False),
    Column("nick", String, nullable=False),
    Column("kind", String(32), nullable=False),
    Column("text", Text, nullable=False),
    Column("folded", Text, nullable=False),
    Index("ix_messages_channel", "channel", "id"),
)
"""One row a line; ids grow with time (`history/rows.py` makes them).

`folded` is what is searched: nick and text without case and accents. Postgres has a GIN index of
its pieces (`message_grams`), SQLite the FTS5 table `message_words`.
"""

MESSAGE_COUNTS = Table(
    "message_counts",
    METADATA,
    Column("day", String(10), primary_key=True),
    Column("kind", String(32), primary_key=True),
    Column("nick", String, primary_key=True),
    Column("count", Integer, nullable=False),
    Column("size_bytes", BigInteger, nullable=False),
)
"""How many rows of `messages` each day has, kept right by whoever writes or deletes them."""

LOG_FILES = Table(
    "log_files",
    METADATA,
    Column("day", String(10), primary_key=True),
    Column("offset_bytes", BigInteger, nullable=False),
    Column("lines", Integer, nullable=False),
    Column("print", String(64), nullable=False),
)
"""How far each day's file was read; `print` tells whether it is still the same file."""
