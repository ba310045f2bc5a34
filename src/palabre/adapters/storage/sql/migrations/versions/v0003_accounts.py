"""Accounts and sessions."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "accounts",
        sa.Column("folded", sa.String, primary_key=True),
        sa.Column("username", sa.String, nullable=False),
        sa.Column("role", sa.String, nullable=False),
        sa.Column("password_hash", sa.String, nullable=False),
        sa.Column("created_at_ms", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "sessions",
        sa.Column("fingerprint", sa.String(64), primary_key=True),
        sa.Column("folded", sa.String, nullable=False, index=True),
        sa.Column("username", sa.String, nullable=False),
        sa.Column("role", sa.String, nullable=False),
        sa.Column("created_at_ms", sa.BigInteger, nullable=False),
        sa.Column("expires_at_ms", sa.BigInteger, nullable=False, index=True),
    )
