"""Accounts and sessions."""

from sqlalchemy import BigInteger, Column, String, Table

from palabre.adapters.storage.sql.schema.metadata import METADATA

ACCOUNTS = Table(
    "accounts",
    METADATA,
    Column("folded", String, primary_key=True),
    Column("username", String, nullable=False),
    Column("role", String, nullable=False),
    Column("password_hash", String, nullable=False),
    Column("created_at_ms", BigInteger, nullable=False),
)
"""Names with passwords; `folded` is the name without its case."""

SESSIONS = Table(
    "sessions",
    METADATA,
    Column("fingerprint", String(64), primary_key=True),
    Column("folded", String, nullable=False, index=True),
    Column("username", String, nullable=False),
    Column("role", String, nullable=False),
    Column("created_at_ms", BigInteger, nullable=False),
    Column("expires_at_ms", BigInteger, nullable=False, index=True),
)
"""Who has logged in; guests and those with the token have no account."""
