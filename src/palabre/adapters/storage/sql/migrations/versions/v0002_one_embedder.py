"""One embedder, which stays until its owner wants another."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Keep the embedder that has done most."""
    op.add_column("embedders", sa.Column("wished", sa.String, nullable=False, server_default=""))
    op.execute(
        "DELETE FROM embedders WHERE id NOT IN (SELECT embedder_id FROM embeddings "
        "GROUP BY embedder_id ORDER BY count(*) DESC, embedder_id DESC LIMIT 1)"
    )
