"""Personas as their editors want them, feedback and proposals."""

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Make the tables."""
