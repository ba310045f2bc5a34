"""Personas as their editors want them, feedback and proposals."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Make the tables."""
    _edits()
    op.create_table(
        "persona_feedback",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("persona_id", sa.String, nullable=False),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("message", sa.Text, nullable=False),
        sa.Column("leaning", sa.Integer, nullable=False),
        sa.Column("slot", sa.String(64), nullable=True, unique=True),
        sa.Column("prompt_key", sa.String(64), nullable=False),
        sa.Column("created_at_ms", sa.BigInteger, nullable=False),
    )
    newest, prompt = ["persona_id", "created_at_ms", "id"], ["persona_id", "prompt_key", "id"]
    op.create_index("ix_persona_feedback_newest", "persona_feedback", newest)
    op.create_index("ix_persona_feedback_prompt", "persona_feedback", prompt)
    op.create_index(
        "ix_persona_feedback_complaints",
        "persona_feedback",
        ["persona_id", "created_at_ms", "leaning"],
        sqlite_where=sa.text("leaning < 0"),
        postgresql_where=sa.text("leaning < 0"),
    )
    op.create_table(
        "persona_proposals",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("persona_id", sa.String, nullable=False),
        sa.Column("reason", sa.String, nullable=False),
        sa.Column("before", sa.Text, nullable=False),
        sa.Column("after", sa.Text, nullable=False),
        sa.Column("applied", sa.Boolean, nullable=False),
        sa.Column("dismissed", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("created_at_ms", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_persona_proposals_newest", "persona_proposals", newest)


def _edits() -> None:
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "persona_edits",
        sa.Column("persona_id", sa.String, primary_key=True),
        sa.Column("revision", sa.BigInteger, nullable=False, index=True),
        sa.Column("edit", sa.Text, nullable=False),
        sa.Column("made_at_ms", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "persona_steps",
        sa.Column("number", number, primary_key=True, autoincrement=True),
        sa.Column("persona_id", sa.String, nullable=False, index=True),
        sa.Column("before", sa.Text, nullable=False),
        sa.Column("proposal_id", sa.String, nullable=False),
    )
    op.create_table(
        "persona_sources",
        sa.Column("persona_id", sa.String, primary_key=True),
        sa.Column("subject_name", sa.Text, nullable=False),
        sa.Column("summary", sa.Text, nullable=False),
        sa.Column("references", sa.Text, nullable=False),
    )
