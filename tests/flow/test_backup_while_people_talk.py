"""A backup is made while people talk, editors edit and pictures come: what was told before is in
it, each line whole, and its parts belong together.
"""

import asyncio
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from tests.support.databases import KINDS, address_of
from tests.support.rooms import Client, House, house

from palabre.adapters.storage.backup.archive import opened_archive
from palabre.adapters.storage.backup.data_files import MARK_NAME
from palabre.adapters.storage.backup.errors import RestoreCutError
from palabre.adapters.storage.backup.restoring import restore
from palabre.adapters.storage.backup.writing import write_backup
from palabre.adapters.storage.media_files import FileMediaStore
from palabre.adapters.storage.sql.database import Database, thread_connection
from palabre.adapters.storage.sql.ledger import SqlLedger
from palabre.app.backup import backup_source, restore_target
from palabre.app.settings import Settings
from palabre.core.audit.inspection import inspect
from palabre.core.audit.model import Actor
from palabre.core.editorial.traits import Traits
from palabre.core.media.model import MediaItem
from palabre.kernel.ids import ChannelName, Nick
from palabre.testing.clock import FrozenClock
from palabre.testing.media import a_png
from palabre.testing.telemetry import RecordingTelemetry

NOW = FrozenClock().now()
ANNE = Actor("anne", "admin")
EVERY = 10**9


@dataclass
class Told:
    """The numbers of what was told to be done by now."""

    said: set[int] = field(default_factory=set)
    edited: set[int] = field(default_factory=set)
    painted: set[int] = field(default_factory=set)

    @property
    def least(self) -> int:
        return min(len(self.said), len(self.edited), len(self.painted))

    def by_now(self) -> "Told":
        return Told(set(self.said), set(self.edited), set(self.painted))


@pytest.mark.parametrize("kind", KINDS)
async def test_backups_made_while_people_talk_are_whole(
    request: pytest.FixtureRequest, tmp_path: Path, kind: str
) -> None:
    storage = storage_of(kind, request, tmp_path)
    told = Told()
    async with house(
        "Merci.",
        data_dir=tmp_path / "data",
        store=None,
        storage=storage,
        rate_limit_messages=10_000,
    ) as it:
        work = [talk(await it.enter("ana"), told), edit(it, told), paint(it, told)]
        tasks = [asyncio.create_task(each) for each in work]
        for number in range(3):
            await grown(told, 15)
            before, backup = told.by_now(), tmp_path / f"{number}.zip"
            await asyncio.to_thread(written, it, backup)
            restored = await asyncio.to_thread(restored_to, tmp_path / f"home-{number}", backup)
            await check(restored, before)
        for task in tasks:
            task.cancel()
        assert told.least > before.least  # all went on meanwhile


async def test_a_restore_that_was_cut_off_is_seen_at_the_start(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    storage = storage_of("postgres", request, tmp_path)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / MARK_NAME).write_text("abcd")
    with pytest.raises(RestoreCutError):
        async with house(data_dir=tmp_path / "data", storage=storage):
            pass
    (tmp_path / "data.restoring-abcd").mkdir()
    async with house(data_dir=tmp_path / "data", storage=storage):
        assert not (tmp_path / "data" / MARK_NAME).exists()
    assert not (tmp_path / "data.restoring-abcd").exists()


def storage_of(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, Any]:
    if kind == "sqlite":
        return {}
    url = address_of(kind, request, tmp_path).url
    return {"database_url": url.render_as_string(hide_password=False)}


async def talk(client: Client, told: Told) -> None:
    """Say one thing after the other."""
    for number in range(EVERY):
        await client.say(f"{number} {'é' * (number % 997)}")
        marker = f"{number} "
        await client.until(lambda f: f["type"] == "message" and f["text"].startswith(marker))  # noqa: B023
        told.said.add(number)


async def edit(place: House, told: Told) -> None:
    """Change a persona again and again."""
    for number in range(EVERY):
        traits = Traits(summary=str(number))
        await place.app.editorial.desk.update(ANNE, "batty", traits)
        told.edited.add(number)


async def paint(place: House, told: Told) -> None:
    """Keep one picture after the other."""
    media = place.app.ports.media
    assert media is not None
    for number in range(EVERY):
        await media.store.save(picture(number), a_png())
        told.painted.add(number)


def picture(number: int) -> MediaItem:
    item_id = f"{1774000000000 + number}-0000abcd"
    where = ChannelName("#general")
    return MediaItem(
        item_id, "image", str(number), Nick("ana"), where, NOW, "image/png", f"{item_id}.png"
    )


async def grown(told: Told, more: int) -> None:
    wanted = told.least + more
    async with asyncio.timeout(60):
        while told.least < wanted:  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.01)


def written(place: House, path: Path) -> None:
    source = backup_source(place.app.settings)
    with path.open("wb") as out:
        write_backup(source, out, program="1", at=NOW, media=True, progress=lambda *_: None)


def restored_to(data_dir: Path, backup: Path) -> Path:
    """Restore *backup* into files and SQLite, whatever it is of."""
    target = restore_target(Settings(data_dir=data_dir))
    with opened_archive(backup) as archive:
        archive.verify(lambda _done: None)
        restore(archive, target, at=NOW, may_replace=False, progress=lambda *_: None)
    return data_dir


async def check(data_dir: Path, before: Told) -> None:
    for folder in ("chat-logs", "context"):
        assert before.said <= said_in(data_dir / folder)
    store = FileMediaStore(data_dir, RecordingTelemetry(), max_bytes=EVERY)
    described = await store.latest("image", EVERY)
    assert before.painted <= {int(each.prompt) for each in described}
    for each in described:
        assert b"".join([piece async for piece in store.read(each)]) == a_png()
    await edits_belong_to_the_book(data_dir, before.edited)


def said_in(folder: Path) -> set[int]:
    """Return the numbers that were said; each line must be whole."""
    content = b"".join(each.read_bytes() for each in folder.glob("*.jsonl"))
    assert content.endswith(b"\n")
    lines = [json.loads(line) for line in content.split(b"\n")[:-1]]
    return {int(each["text"].split()[0]) for each in lines if each["nick"] == "ana"}


async def edits_belong_to_the_book(data_dir: Path, before: set[int]) -> None:
    """Demand that the last edit is the one that the book tells of last."""
    target = restore_target(Settings(data_dir=data_dir))
    database = await Database.open(target.address)
    ledger = SqlLedger(database, FrozenClock())
    assert (await inspect(ledger)).verdict.broken_at is None
    told = [e for page in [p async for p in ledger.pages()] for e in page]
    await database.aclose()
    summaries = [json.loads(e.after)["summary"] for e in told if e.action == "persona.update"]
    with thread_connection(target.address, writes=False) as connection:
        edited = connection.scalars(text("SELECT edit FROM persona_edits")).one()
    assert json.loads(edited)["summary"] == summaries[-1]
    assert max(before) <= int(summaries[-1])
