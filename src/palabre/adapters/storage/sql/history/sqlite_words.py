"""The index of what was said in SQLite: FTS5 of pieces of two and three signs."""

import asyncio
from collections.abc import Sequence

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from palabre.core.history.folding import grams

Folded = tuple[int, str]
"""An id, and the folded line."""

_PRIVATE = 0xE000
# The tokenizer splits at signs of ASCII that are no letters or digits.
_SIGNS = {code: chr(_PRIVATE + code) for code in range(128) if not chr(code).isalnum()}

_ADD = text("INSERT INTO message_words (rowid, grams) VALUES (:id, :grams)")
_REMOVE = text(
    "INSERT INTO message_words (message_words, rowid, grams) VALUES ('delete', :id, :grams)"
)


async def add_words(connection: AsyncConnection, lines: Sequence[Folded]) -> None:
    """Let *lines* be found."""
    await connection.execute(_ADD, await asyncio.to_thread(_rows, lines))


async def remove_words(connection: AsyncConnection, lines: Sequence[Folded]) -> None:
    """Let *lines* be found no more; each as it was added."""
    await connection.execute(_REMOVE, await asyncio.to_thread(_rows, lines))


def matching(pieces: Sequence[str]) -> str:
    """Return what asks FTS5 for lines that have all *pieces*."""
    return " AND ".join(f'"{_token(piece)}"' for piece in pieces)


def _rows(lines: Sequence[Folded]) -> list[dict[str, object]]:
    return [{"id": line_id, "grams": _tokens(line)} for line_id, line in lines]


def _tokens(line: str) -> str:
    # Signs first: pieces of what is put for them are the pieces with them put.
    return " ".join(sorted(grams(_token(line))))


def _token(piece: str) -> str:
    return piece.translate(_SIGNS)
