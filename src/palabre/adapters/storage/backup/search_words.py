"""What each database makes of its rows to find them by words: made anew, not copied."""

from collections.abc import Callable

from sqlalchemy import Connection, text

from palabre.adapters.storage.sql.history.sqlite_words import entry
from palabre.adapters.storage.sql.knowledge.postgres_index import ADD_WORDS as PLACE_TERMS
from palabre.adapters.storage.sql.knowledge.sqlite_index import ADD_WORDS as ADD_TERMS

PIECE = 500
"""Messages that are indexed at once."""

REBUILT = ("chunk_words", "message_words")
"""Tables of FTS5."""

_ADD_GRAMS = text("INSERT INTO message_words (rowid, grams) VALUES (:id, :grams)")
_SEARCHED = text("SELECT id FROM documents WHERE chunk_count > 0 ORDER BY number")
_FOLDED = text(
    "SELECT id, folded, channel FROM messages WHERE id > :after ORDER BY id LIMIT :piece"
)


def rebuild_words(connection: Connection, told: Callable[[int], None]) -> None:
    """Make what finds documents and messages by their words, in a database that is up to date.

    *told* is told of messages that SQLite indexes; Postgres does so as they come.
    """
    is_sqlite = connection.dialect.name == "sqlite"
    add = ADD_TERMS if is_sqlite else PLACE_TERMS
    for document in connection.scalars(_SEARCHED).all():
        connection.execute(add, {"id": document})
    if is_sqlite:
        _index_messages(connection, told)


def _index_messages(connection: Connection, told: Callable[[int], None]) -> None:
    values = {"after": -(2**63), "piece": PIECE}
    while rows := connection.execute(_FOLDED, values).all():
        connection.execute(_ADD_GRAMS, [entry(*row) for row in rows])
        values["after"] = rows[-1].id
        told(len(rows))
