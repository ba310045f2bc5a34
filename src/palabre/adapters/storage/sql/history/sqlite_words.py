"""The index of what was said in SQLite: FTS5 of pieces of two and three signs."""

from collections.abc import Sequence

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from palabre.core.history.folding import grams

WordEntry = dict[str, int | str]

_PRIVATE = 0xE000
_BETWEEN = "\0"
"""Between two pieces; in no folded line."""

# The tokenizer splits at signs of ASCII that are no letters or digits.
_SIGNS = {code: chr(_PRIVATE + code) for code in range(128) if not chr(code).isalnum()}
_SIGNS[ord(_BETWEEN)] = " "

_ADD = text("INSERT INTO message_words (rowid, grams) VALUES (:id, :grams)")
_REMOVE = text(
    "INSERT INTO message_words (message_words, rowid, grams) VALUES ('delete', :id, :grams)"
)


async def add_words(connection: AsyncConnection, entries: Sequence[WordEntry]) -> None:
    """Let lines be found."""
    await connection.execute(_ADD, list(entries))


async def remove_words(connection: AsyncConnection, entries: Sequence[WordEntry]) -> None:
    """Let lines be found no more; each entry is as it was added."""
    await connection.execute(_REMOVE, list(entries))


def entry(line_id: int, folded: str, channel: str) -> WordEntry:
    """Return what the index keeps of a folded line; computed, so better not in the event loop."""
    return {"id": line_id, "grams": _token(_BETWEEN.join(sorted(grams(folded, channel))))}


def matching(pieces: Sequence[str]) -> str:
    """Return what asks FTS5 for lines that have all *pieces*."""
    return " AND ".join(f'"{_token(piece)}"' for piece in pieces)


def _token(piece: str) -> str:
    return piece.translate(_SIGNS)
