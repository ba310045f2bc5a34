"""What was said, by day, to be searched and counted."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_GRAMS = """
CREATE FUNCTION message_grams(folded text) RETURNS text[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS $$
    SELECT coalesce(array_agg(DISTINCT gram COLLATE "C"), '{}') FROM (
        SELECT unnest(ARRAY[
            a || b, a || b || c, CASE WHEN c = ' ' THEN a || b || c || d || e END
        ]) AS gram FROM (
            SELECT sign AS a, lead(sign, 1) OVER ahead AS b, lead(sign, 2) OVER ahead AS c,
                lead(sign, 3) OVER ahead AS d, lead(sign, 4) OVER ahead AS e
            FROM unnest(string_to_array(folded, NULL)) WITH ORDINALITY AS each (sign, place)
            WINDOW ahead AS (ORDER BY place)
        ) AS signs
    ) AS grams WHERE gram IS NOT NULL
$$
"""


def upgrade() -> None:
    """Make the tables, and what finds rows by pieces of words."""
    op.create_table(
        "messages",
        sa.Column("id", _NUMBER, primary_key=True, autoincrement=False),
        sa.Column("day", sa.String(10), nullable=False),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
        sa.Column("channel", sa.String, nullable=False),
        sa.Column("nick", sa.String, nullable=False),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("folded", sa.Text, nullable=False),
    )
    op.create_index("ix_messages_channel", "messages", ["channel", "id"])
    _counted()
    (_postgres if op.get_bind().dialect.name == "postgresql" else _sqlite)()


def _counted() -> None:
    op.create_table(
        "message_counts",
        sa.Column("day", sa.String(10), primary_key=True),
        sa.Column("kind", sa.String(32), primary_key=True),
        sa.Column("nick", sa.String, primary_key=True),
        sa.Column("count", sa.Integer, nullable=False),
        sa.Column("size_bytes", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "log_files",
        sa.Column("day", sa.String(10), primary_key=True),
        sa.Column("offset_bytes", sa.BigInteger, nullable=False),
        sa.Column("lines", sa.Integer, nullable=False),
        sa.Column("print", sa.String(64), nullable=False),
    )


def _postgres() -> None:
    op.execute("CREATE SEQUENCE message_numbers")
    op.execute(_GRAMS)
    op.execute(
        "CREATE INDEX ix_messages_grams ON messages "
        'USING gin ((message_grams(folded) COLLATE "C")) '
        "WITH (gin_pending_list_limit = 256)"
    )


def _sqlite() -> None:
    op.execute(
        "CREATE VIRTUAL TABLE message_words "
        "USING fts5(grams, content='', detail='none', columnsize=0, tokenize='ascii')"
    )
