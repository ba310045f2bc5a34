"""What was said, by day, to be searched and counted."""

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Make the tables."""
