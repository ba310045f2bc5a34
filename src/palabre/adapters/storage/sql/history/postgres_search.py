"""Search what was said in Postgres: first among the newest, then by the index."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, text

from palabre.adapters.storage.sql.history.rows import STRETCH_BITS
from palabre.core.history.folding import asked_grams, folded
from palabre.core.history.model import Wanted

NEWEST = 2000
"""Rows that are looked at one by one before the index is asked: what is said often is there."""

GLANCE = """
SELECT * FROM (
    SELECT * FROM messages WHERE id < :before {channel} ORDER BY id DESC LIMIT :newest
) AS newest
WHERE strpos(folded, :words) > 0 ORDER BY id DESC LIMIT :limit
"""
# Stretch by stretch: the index finds all rows of one before any of them can be sorted, so
# no search may ask it for more at once. The newest stretch comes first, and the loop stops early.
# OFFSET 0 keeps Postgres from walking through all rows in the order of the sort instead.
FIND = """
WITH RECURSIVE stretches (number) AS (
    SELECT max(id) >> CAST(:bits AS int) FROM messages WHERE id < :before
    UNION ALL
    SELECT (
        SELECT max(id) >> CAST(:bits AS int) FROM messages WHERE id < number << CAST(:bits AS int)
    ) FROM stretches WHERE number IS NOT NULL
)
SELECT found.* FROM stretches, LATERAL (
    SELECT * FROM (
        SELECT * FROM messages
        WHERE message_grams(folded, id, channel) COLLATE "C" @>
            (SELECT array_agg(number || '/' || gram) FROM unnest(CAST(:grams AS text[])) AS gram)
        AND strpos(folded, :words) > 0 AND id < :before {channel} OFFSET 0
    ) AS inside ORDER BY id DESC LIMIT :limit
) AS found LIMIT :limit
"""
_NO_JIT = text("SET LOCAL jit = off")
_OF_CHANNEL = "AND channel = :channel"
LAST_ID = 2**63 - 1

Rows = Sequence[Row[Any]]


def postgres_search(connection: Connection, wanted: Wanted) -> Rows:
    """Return the newest rows of `messages` that hold what is *wanted*."""
    values = _values(wanted)
    connection.execute(_NO_JIT)
    newest = _run(connection, GLANCE, values)
    return newest if len(newest) == wanted.limit else _run(connection, FIND, values)


def _values(wanted: Wanted) -> dict[str, object]:
    words = folded(wanted.words)
    return {
        "words": words,
        "grams": asked_grams(words, wanted.channel),
        "before": LAST_ID if wanted.before_id is None else wanted.before_id,
        "channel": wanted.channel,
        "bits": STRETCH_BITS,
        "newest": NEWEST,
        "limit": wanted.limit,
    }


def _run(connection: Connection, statement: str, values: dict[str, object]) -> Rows:
    channel = _OF_CHANNEL if values["channel"] is not None else ""
    filled = statement.format(channel=channel)
    asked = {name: value for name, value in values.items() if f":{name}" in filled}
    return connection.execute(text(filled), asked).all()
