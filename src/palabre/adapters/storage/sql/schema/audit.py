"""What was changed, by whom."""

from sqlalchemy import BigInteger, Column, Index, String, Table, Text

from palabre.adapters.storage.sql.schema.metadata import METADATA

AUDIT = Table(
    "audit",
    METADATA,
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("at_ms", BigInteger, nullable=False),
    Column("actor", String, nullable=False),
    Column("role", String, nullable=False),
    Column("address", String, nullable=False),
    Column("action", String, nullable=False),
    Column("target", String, nullable=False),
    Column("before", Text, nullable=False),
    Column("after", Text, nullable=False),
    Column("previous_hash", String(64), nullable=False),
    Column("hash", String(64), nullable=False),
    Index("ix_audit_action", "action", "number"),
    Index("ix_audit_actor", "actor", "number"),
)
"""One row a change, numbered from 1 without a gap; each holds the hash of the one before it."""
