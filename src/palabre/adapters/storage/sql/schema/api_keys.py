"""Keys of programs."""

from sqlalchemy import BigInteger, Column, String, Table

from palabre.adapters.storage.sql.schema.metadata import METADATA

API_KEYS = Table(
    "api_keys",
    METADATA,
    Column("id", String, primary_key=True),
    Column("folded", String, nullable=False, unique=True),
    Column("name", String, nullable=False),
    Column("fingerprint", String(64), nullable=False, unique=True),
    Column("scopes", String, nullable=False),
    Column("created_at_ms", BigInteger, nullable=False),
    Column("expires_at_ms", BigInteger),
    Column("used_at_ms", BigInteger),
)
"""Fingerprints of keys; `folded` is the name without its case, `scopes` are parted by blanks."""
