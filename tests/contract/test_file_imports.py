"""Files of a data directory come into a database once, whatever is run again."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import func, select

from palabre.adapters.storage.file_import.contexts import import_contexts
from palabre.adapters.storage.file_import.counts import Brought
from palabre.adapters.storage.file_import.logs import import_logs
from palabre.adapters.storage.file_import.media import import_media
from palabre.adapters.storage.file_import.memories import import_memories
from palabre.adapters.storage.json_memories.store import JsonMemoryStore
from palabre.adapters.storage.jsonl.layout import MessageFiles
from palabre.adapters.storage.jsonl.messages import JsonlMessageStore
from palabre.adapters.storage.media_files import FileMediaStore
from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.media import SqlMediaStore
from palabre.adapters.storage.sql.memories import SqlMemoryStore
from palabre.adapters.storage.sql.rooms.messages import SqlMessageStore
from palabre.adapters.storage.sql.schema.history import MESSAGES
from palabre.core.chat.model import Utterance
from palabre.core.media.model import MediaItem
from palabre.kernel.ids import ChannelName, Nick, PersonaId
from palabre.testing.telemetry import RecordingTelemetry

TEN = datetime(2026, 3, 20, 10, tzinfo=UTC)
GENERAL, LOWER = ChannelName("#general"), ChannelName("#a_b")
BATTY = PersonaId("batty"), Nick("Batty")
NICKS = dict([BATTY, (PersonaId("cage"), Nick("Cage"))])


def spoken(text: str, second: int = 0, channel: ChannelName = GENERAL) -> Utterance:
    return Utterance(TEN + timedelta(seconds=second), channel, Nick("lea"), text)


@pytest.fixture
async def data(tmp_path: Path) -> Path:
    """What an installation with files has kept."""
    data = tmp_path / "files"
    store = await JsonlMessageStore.open(data, RecordingTelemetry())
    for number in range(10):
        await store.append(spoken(f"mot {number}", number // 2))
    await store.append(spoken("encore"))
    await store.append(spoken("encore"))
    await store.append(spoken("\0" + "é" * 3000, 86_400))
    await store.append(spoken("ailleurs", channel=LOWER))
    backlog = await store.backlog(GENERAL, 0.5, 1)
    assert backlog is not None
    await store.compact(backlog, "On parla.", TEN)
    await store.aclose()
    with (data / "chat-logs/v2-2026-03-20.jsonl").open("a") as log:
        log.write("ceci n'est pas du JSON\n")
    return data


async def logs_into(database: Database, data: Path) -> Brought:
    return await import_logs(data / "chat-logs", database, lambda *_: None)


async def count(database: Database) -> int:
    async with database.reading() as connection:
        return int(await connection.scalar(select(func.count()).select_from(MESSAGES)) or 0)


async def test_each_line_of_the_logs_comes_in_once(database: Database, data: Path) -> None:
    assert await logs_into(database, data) == Brought(added=15)
    assert await logs_into(database, data) == Brought(known=15)
    assert await count(database) == 15


async def test_lines_that_the_database_has_already_are_not_doubled(
    database: Database, data: Path
) -> None:
    store = SqlMessageStore(database)
    await store.append(spoken("encore"))
    await store.append(spoken("mot 3", 1))
    await store.append(spoken("tout neuf", 1))
    assert await logs_into(database, data) == Brought(added=13, known=2)
    assert await count(database) == 16
    await store.aclose()


async def test_what_is_logged_later_comes_in_later(database: Database, data: Path) -> None:
    await logs_into(database, data)
    with (data / "chat-logs/v2-2026-03-20.jsonl").open("a") as log:
        line = {"ts": "2026-03-20T10:00:00Z", "channel": "#general", "nick": "lea"}
        log.write(json.dumps({**line, "type": "message", "text": "encore"}) + "\n")
    assert await logs_into(database, data) == Brought(added=1, known=15)


async def test_contexts_come_in_with_their_summaries_once(database: Database, data: Path) -> None:
    files = MessageFiles.below(data)
    await logs_into(database, data)
    assert await import_contexts(files, database) == Brought(added=2)
    assert await import_contexts(files, database) == Brought(known=2)
    store = SqlMessageStore(database)
    stats = await store.stats(GENERAL)
    assert (stats.messages, stats.compacted_entries, stats.compactions) == (7, 6, 1)
    assert stats.compacted_at == TEN
    summary, *newest = await store.within(GENERAL, 4000)
    assert (summary.kind, summary.text) == ("summary", "On parla.")
    assert [each.text[:6] for each in newest][:3] == ["mot 6", "mot 7", "mot 8"]
    assert newest[-1].text == "\ufffd" + "é" * 1999
    assert [each.text for each in await store.latest(LOWER, 9)] == ["ailleurs"]
    await store.append(spoken("suite", 90_000))
    assert (await store.latest(GENERAL, 1))[0].text == "suite"
    await store.aclose()


async def test_a_channel_that_the_database_has_is_left_as_it_is(
    database: Database, data: Path
) -> None:
    store = SqlMessageStore(database)
    await store.append(spoken("ici", channel=GENERAL))
    assert await import_contexts(MessageFiles.below(data), database) == Brought(added=1, known=1)
    assert [each.text for each in await store.latest(GENERAL, 9)] == ["ici"]
    await store.aclose()


async def test_contexts_that_cannot_be_read_are_named(database: Database, tmp_path: Path) -> None:
    contexts = tmp_path / "files/context"
    contexts.mkdir(parents=True)
    (contexts / "_lien.jsonl").symlink_to(tmp_path)
    found = await import_contexts(MessageFiles.below(tmp_path / "files"), database)
    assert found == Brought(unreadable=["_lien.jsonl"])


async def test_memories_come_in_with_what_undo_goes_back_to(
    database: Database, tmp_path: Path
) -> None:
    files = JsonMemoryStore(tmp_path)
    for facts in (("un",), ("un", "deux")):
        await files.revise(*BATTY, lambda record, new=facts: replace(record, facts=new))  # type: ignore[misc]
    (tmp_path / "v2-local/persona-memory/kaputt.json").write_text("{")
    legacy = {"nick": "Cage", "facts": ["Aime le silence"], "summary": "", "lastUpdated": None}
    (tmp_path / "persona-memory/Cage.json").write_text(json.dumps(legacy))
    store = SqlMemoryStore(database)
    expected = Brought(added=2, unreadable=["kaputt.json"])
    assert await import_memories(tmp_path, store, NICKS) == expected
    assert (await store.recall(*BATTY)).facts == ("un", "deux")
    assert (await store.recall(PersonaId("cage"), Nick("Cage"))).facts == ("Aime le silence",)
    again = Brought(known=2, unreadable=["kaputt.json"])
    assert await import_memories(tmp_path, store, NICKS) == again
    undone = await store.undo(*BATTY)
    assert undone is not None
    assert undone.facts == ("un",)


async def test_media_come_in_once(database: Database, tmp_path: Path) -> None:
    files = FileMediaStore(tmp_path, RecordingTelemetry(), max_bytes=10**9)
    name = "1774000000001-0000abcd"
    item = MediaItem(name, "image", "p", "ana", "#general", TEN, "image/png", f"{name}.png")
    content = bytes(range(256)) * 2000
    await files.save(item, content)
    assert await import_media(tmp_path, database, RecordingTelemetry()) == Brought(added=1)
    assert await import_media(tmp_path, database, RecordingTelemetry()) == Brought(known=1)
    rows = SqlMediaStore(database, max_bytes=1)
    assert b"".join([piece async for piece in rows.read(item)]) == content


async def test_nothing_comes_of_an_empty_folder(database: Database, tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere"
    assert await logs_into(database, nowhere) == Brought()
    assert await import_contexts(MessageFiles.below(nowhere), database) == Brought()
    assert await import_memories(nowhere, SqlMemoryStore(database), NICKS) == Brought()
    assert await import_media(nowhere, database, RecordingTelemetry()) == Brought()
