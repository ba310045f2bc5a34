from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy.ext.asyncio import create_async_engine
from tests.support.databases import with_database

from palabre.adapters.storage.json_memories.store import JsonMemoryStore
from palabre.adapters.storage.jsonl.messages import JsonlMessageStore
from palabre.adapters.storage.media_files import FileMediaStore
from palabre.adapters.storage.mirrored.media import MirroredMediaStore
from palabre.adapters.storage.mirrored.memories import MirroredMemoryStore
from palabre.adapters.storage.mirrored.messages import MirroredMessageStore
from palabre.adapters.storage.sql.address import postgres_address, sqlite_address
from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.media import SqlMediaStore
from palabre.adapters.storage.sql.memories import SqlMemoryStore
from palabre.adapters.storage.sql.rooms.messages import SqlMessageStore
from palabre.app.settings import Settings
from palabre.app.storage import (
    media_of,
    memories_of,
    open_messages,
    opened_memories,
    storage_state,
)
from palabre.kernel.ids import Nick, PersonaId
from palabre.testing.telemetry import RecordingTelemetry

URL = "postgresql://u:secretive@127.0.0.1:1/nowhere"
BATTY = PersonaId("batty"), Nick("Batty")


@pytest.mark.parametrize(
    ("storage", "messages", "memories", "media"),
    [
        ({}, JsonlMessageStore, JsonMemoryStore, FileMediaStore),
        ({"mirror_files": True}, JsonlMessageStore, JsonMemoryStore, FileMediaStore),
        ({"database_url": URL}, SqlMessageStore, SqlMemoryStore, SqlMediaStore),
        (
            {"database_url": URL, "mirror_files": True},
            MirroredMessageStore,
            MirroredMemoryStore,
            MirroredMediaStore,
        ),
    ],
)
async def test_the_settings_say_where_things_are_kept(
    tmp_path: Path, storage: dict[str, object], messages: type, memories: type, media: type
) -> None:
    settings = Settings(data_dir=tmp_path / "files", storage=storage)
    database = await Database.open(sqlite_address(with_database(tmp_path)))
    telemetry = RecordingTelemetry()
    store = await open_messages(settings, database, telemetry)
    assert type(store) is messages
    assert type(memories_of(settings, database, telemetry)) is memories
    assert type(media_of(settings, database, telemetry)) is media
    await store.aclose()
    await database.aclose()
    assert (tmp_path / "files").exists() is settings.storage.writes_files


async def test_files_are_well_where_they_can_be_written(tmp_path: Path) -> None:
    database = await Database.open(sqlite_address(with_database(tmp_path)))
    assert (await storage_state(Settings(data_dir=tmp_path), database)).ok
    (tmp_path / "file").write_text("")
    broken = Settings(data_dir=tmp_path / "file" / "data")
    assert not (await storage_state(broken, database)).ok
    await database.aclose()


async def test_a_database_is_well_while_it_answers_and_its_password_is_told_nobody(
    tmp_path: Path,
) -> None:
    settings = Settings(data_dir=tmp_path, storage={"database_url": URL})
    database = await Database.open(sqlite_address(with_database(tmp_path)))
    assert (await storage_state(settings, database)).ok
    await database.aclose()
    address = postgres_address(URL)
    away = Database(address, create_async_engine(address.async_url))
    state = await storage_state(settings, away)
    assert not state.ok
    assert "secretive" not in state.detail
    await away.aclose()


async def test_commands_find_the_memories_of_files_without_a_database(tmp_path: Path) -> None:
    async with opened_memories(Settings(data_dir=tmp_path)) as store:
        await store.revise(*BATTY, lambda record: replace(record, facts=("Il rêve",)))
    assert (await JsonMemoryStore(tmp_path).recall(*BATTY)).facts == ("Il rêve",)
    assert not (tmp_path / "palabre.db").exists()
