"""What was said, by day, to be searched and counted."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_GRAMS = """
CREATE FUNCTION message_grams(folded text, id bigint, channel text) RETURNS text[]
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS $$
DECLARE
    stretch text := (id >> 39) || '/';
    signs text[] := string_to_array(folded, NULL);
    last int := cardinality(signs);
    found text[] := ARRAY[stretch || E'\\n\\n' || left(channel, 100)];
BEGIN
    FOR at IN 2 .. last LOOP
        found[2 * at - 2] := stretch || signs[at - 1] || signs[at];
        found[2 * at - 1] := stretch || signs[at - 1] || signs[at] || coalesce(signs[at + 1], '');
    END LOOP;
    FOR at IN 3 .. last - 2 LOOP
        IF signs[at] = ' ' THEN
            found := found || (
                stretch || signs[at - 2] || signs[at - 1] || ' ' || signs[at + 1] || signs[at + 2]
            );
        END IF;
    END LOOP;
    RETURN found;
END
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
        'USING gin ((message_grams(folded, id, channel) COLLATE "C")) '
        "WITH (gin_pending_list_limit = 64)"
    )
    # Searches are planned without; to gather them means to take very many lines apart.
    op.execute("ALTER INDEX ix_messages_grams ALTER COLUMN 1 SET STATISTICS 0")


def _sqlite() -> None:
    op.execute(
        "CREATE VIRTUAL TABLE message_words "
        "USING fts5(grams, content='', detail='none', columnsize=0, tokenize='ascii')"
    )
