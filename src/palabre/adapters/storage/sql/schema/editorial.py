"""Personas as their editors want them, feedback and proposals."""

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, String, Table, Text, false

from palabre.adapters.storage.sql.schema.metadata import METADATA, NUMBER

EDITS = Table(
    "persona_edits",
    METADATA,
    Column("persona_id", String, primary_key=True),
    Column("revision", BigInteger, nullable=False, index=True),
    Column("edit", Text, nullable=False),
    Column("made_at_ms", BigInteger, nullable=False),
)
"""One row a persona that was edited or made; `edit` is JSON, `revision` that of the last change."""

STEPS = Table(
    "persona_steps",
    METADATA,
    Column("number", NUMBER, primary_key=True, autoincrement=True),
    Column("persona_id", String, nullable=False, index=True),
    Column("before", Text, nullable=False),
    Column("proposal_id", String, nullable=False),
)
"""Edits as they were before each change that can be taken back."""

SOURCES = Table(
    "persona_sources",
    METADATA,
    Column("persona_id", String, primary_key=True),
    Column("subject_name", Text, nullable=False),
    Column("summary", Text, nullable=False),
    Column("references", Text, nullable=False),
)
"""What personas are made after; `references` is a JSON list."""

FEEDBACK = Table(
    "persona_feedback",
    METADATA,
    Column("id", String, primary_key=True),
    Column("persona_id", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("message", Text, nullable=False),
    Column("leaning", Integer, nullable=False),
    Column("slot", String(64), nullable=True, unique=True),
    Column("prompt_key", String(64), nullable=False),
    Column("created_at_ms", BigInteger, nullable=False),
    Index("ix_persona_feedback_newest", "persona_id", "created_at_ms", "id"),
    Index("ix_persona_feedback_prompt", "persona_id", "prompt_key", "id"),
)
Index(
    "ix_persona_feedback_complaints",
    FEEDBACK.c.persona_id,
    FEEDBACK.c.created_at_ms,
    FEEDBACK.c.leaning,
    sqlite_where=FEEDBACK.c.leaning < 0,
    postgresql_where=FEEDBACK.c.leaning < 0,
)
"""What is said of personas; what one person says of one answer has one `slot`."""

PROPOSALS = Table(
    "persona_proposals",
    METADATA,
    Column("id", String, primary_key=True),
    Column("persona_id", String, nullable=False),
    Column("reason", String, nullable=False),
    Column("before", Text, nullable=False),
    Column("after", Text, nullable=False),
    Column("applied", Boolean, nullable=False),
    Column("dismissed", Boolean, nullable=False, server_default=false()),
    Column("created_at_ms", BigInteger, nullable=False),
    Index("ix_persona_proposals_newest", "persona_id", "created_at_ms", "id"),
)
"""How personas could be; `before` and `after` are JSON."""
