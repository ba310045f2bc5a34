"""Databases of earlier versions are brought up to date, with what is in them."""

from pathlib import Path

import pytest
from sqlalchemy import text
from tests.support.revisions import make_database

from palabre.adapters.storage.sql.address import (
    DatabaseAddress,
    postgres_address,
    sqlite_address,
)
from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.knowledge.store import SqlKnowledgeStore
from palabre.adapters.storage.sql.migrating import HEAD
from palabre.core.knowledge.model import SourceText

DOCUMENT = (
    "INSERT INTO documents (number, id, source, title, sha256, text, chars, page_starts, recipe, "
    "chunk_count, added_at_ms, touched_at_ms) "
    "VALUES (1, 'doc_1', 'a.md', 'A', 'ff', 'Les abeilles', 12, '[]', 'r', 1, 5, 5)"
)
EMBEDDER = "INSERT INTO embedders (id, ref, dimensions) VALUES (7, 'fake/small', 2)"
EMBEDDING = "INSERT INTO embeddings (embedder_id, document_id) VALUES (7, 'doc_1')"
EDITORIAL = (
    *("persona_edits", "persona_steps", "persona_sources"),
    *("persona_feedback", "persona_proposals"),
)
HISTORY = ("messages", "message_counts", "log_files")
ROOMS = (
    "contexts", "context_lines", "archives", "memories", "memory_history", "media", "media_pieces",
)  # fmt: skip
DATA = {
    "0001": [DOCUMENT, EMBEDDER, EMBEDDING],
    **{f"{number:04}": [DOCUMENT, EMBEDDER, EMBEDDING] for number in range(2, 8)},
}


@pytest.fixture(params=["sqlite", "postgres"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> DatabaseAddress:
    if request.param == "sqlite":
        return sqlite_address(tmp_path / "data")
    return postgres_address(request.getfixturevalue("postgres").new_database())


def test_each_past_revision_is_tried() -> None:
    assert sorted(DATA) == [f"{number:04}" for number in range(1, int(HEAD))]


@pytest.mark.parametrize("revision", sorted(DATA))
async def test_a_database_of_an_earlier_version_keeps_its_data_and_gets_the_new_tables(
    address: DatabaseAddress, revision: str
) -> None:
    make_database(address, revision, DATA[revision])
    database = await Database.open(address)
    async with database.reading() as connection:
        version = await connection.execute(text("SELECT version_num FROM alembic_version"))
        assert version.scalar_one() == HEAD
        embedders = await connection.execute(text("SELECT id, ref, wished FROM embedders"))
        assert embedders.all() == [(7, "fake/small", "")]
        for table in ("accounts", "sessions", "audit", *EDITORIAL, *HISTORY, "api_keys", *ROOMS):
            count = await connection.execute(text(f"SELECT count(*) FROM {table}"))  # noqa: S608
            assert count.scalar_one() == 0
    documents = SqlKnowledgeStore(database)
    assert await documents.text("doc_1") == SourceText("a.md", "A", "Les abeilles", ())
    await database.aclose()
