"""Search what was said in Postgres: first among the newest, then by the index."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, text

from palabre.core.history.folding import asked_grams, folded
from palabre.core.history.model import Wanted

NEWEST = 2000
"""Rows that are looked at one by one before the index is asked: what is said often is there."""

MANY = 1000
"""Rows that the index may give; if it has more, the newest of them are not far to walk to."""

GLANCE = """
SELECT * FROM (
    SELECT * FROM messages WHERE id < :before {channel} ORDER BY id DESC LIMIT :newest
) AS newest
WHERE strpos(folded, :words) > 0 ORDER BY id DESC LIMIT :limit
"""
FIND = """
SELECT id FROM messages
WHERE message_grams(folded) COLLATE "C" @> CAST(:grams AS text[]) AND strpos(folded, :words) > 0
AND id < :before {channel} LIMIT :many
"""
WALK = """
SELECT * FROM messages
WHERE strpos(folded, :words) > 0 AND id < :before {channel} ORDER BY id DESC LIMIT :limit
"""
# A plan that fits any words is a scan: what is searched decides.
_EACH_ITS_PLAN = text("SET LOCAL plan_cache_mode = force_custom_plan")
_READ = text("SELECT * FROM messages WHERE id = ANY(:ids) ORDER BY id DESC")
_OF_CHANNEL = "AND channel = :channel"
LAST_ID = 2**63 - 1

Rows = Sequence[Row[Any]]


def postgres_search(connection: Connection, wanted: Wanted) -> Rows:
    """Return the newest rows of `messages` that hold what is *wanted*."""
    values = _values(wanted)
    connection.execute(_EACH_ITS_PLAN)
    newest = _run(connection, GLANCE, values)
    if len(newest) == wanted.limit:
        return newest
    ids = [row.id for row in _run(connection, FIND, values)]
    if len(ids) > MANY:
        return _run(connection, WALK, values)
    shown = sorted(ids, reverse=True)[: wanted.limit]
    return connection.execute(_READ, {"ids": shown}).all() if shown else []


def _values(wanted: Wanted) -> dict[str, object]:
    words = folded(wanted.words)
    return {
        "words": words,
        "grams": asked_grams(words),
        "before": LAST_ID if wanted.before_id is None else wanted.before_id,
        "channel": wanted.channel,
        "newest": NEWEST,
        "many": MANY + 1,
        "limit": wanted.limit,
    }


def _run(connection: Connection, statement: str, values: dict[str, object]) -> Rows:
    channel = _OF_CHANNEL if values["channel"] is not None else ""
    asked = {name: value for name, value in values.items() if f":{name}" in statement}
    if channel:
        asked["channel"] = values["channel"]
    return connection.execute(text(statement.format(channel=channel)), asked).all()
