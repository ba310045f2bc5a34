"""Both databases take lines apart in the same pieces."""

from pathlib import Path

import pytest
from sqlalchemy import text
from tests.support.databases import address_of

from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.history.rows import STRETCH_BITS
from palabre.core.history.folding import folded_line, grams


@pytest.mark.parametrize(
    "words",
    [
        "",
        "a",
        "un mot",
        "a b cd ef g hi",
        "Été 🐝🐝 à l'ombre",
        "שלום עולם",
        "한국어 대화",
        "x  \n y",
    ],
)
async def test_postgres_finds_the_pieces_that_we_ask_for(
    words: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    database = await Database.open(address_of("postgres", request, tmp_path))
    line = folded_line("lea", words)
    async with database.reading() as connection:
        asked = {"line": line, "id": (7 << STRETCH_BITS) + 3, "channel": "#Labo"}
        found = await connection.scalar(text("SELECT message_grams(:line, :id, :channel)"), asked)
    assert set(found) == {f"7/{piece}" for piece in grams(line, "#Labo")}
    await database.aclose()
