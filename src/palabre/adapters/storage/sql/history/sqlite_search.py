"""Search what was said in SQLite."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, text

from palabre.adapters.storage.sql.history.sqlite_words import matching
from palabre.core.history.folding import asked_grams, folded
from palabre.core.history.model import Wanted

FIND = """
SELECT messages.* FROM message_words JOIN messages ON messages.id = message_words.rowid
WHERE message_words MATCH :grams AND message_words.rowid < :before
AND instr(folded, :words) > 0 {channel}
ORDER BY message_words.rowid DESC LIMIT :limit
"""
"""Walks the newest entries of the index first, and stops when it has enough."""

LAST_ID = 2**63 - 1
_OF_CHANNEL = "AND channel = :channel"


def sqlite_search(connection: Connection, wanted: Wanted) -> Sequence[Row[Any]]:
    """Return the newest rows of `messages` that hold what is *wanted*."""
    words = folded(wanted.words)
    values: dict[str, object] = {
        "grams": matching(asked_grams(words, wanted.channel)),
        "words": words,
        "before": LAST_ID if wanted.before_id is None else wanted.before_id,
        "limit": wanted.limit,
    }
    if wanted.channel is not None:
        values["channel"] = wanted.channel
    find = FIND.format(channel=_OF_CHANNEL if wanted.channel is not None else "")
    return connection.execute(text(find), values).all()
