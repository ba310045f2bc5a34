"""A backup is made while people talk: what was told to all before is in it, each line whole."""

import asyncio
import json
from pathlib import Path

from tests.support.rooms import Client, House, house

from palabre.adapters.storage.backup.archive import opened_archive
from palabre.adapters.storage.backup.restoring import restore
from palabre.adapters.storage.backup.writing import write_backup
from palabre.adapters.storage.jsonl.messages import JsonlMessageStore
from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.ledger import SqlLedger
from palabre.app.backup import backup_source, restore_target
from palabre.app.settings import Settings
from palabre.core.audit.model import Actor
from palabre.testing.clock import FrozenClock
from palabre.testing.telemetry import RecordingTelemetry

NOW = FrozenClock().now()
ANNE = Actor("anne", "admin")


async def test_backups_made_while_people_talk_are_whole(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    store = await JsonlMessageStore.open(data_dir, RecordingTelemetry())
    try:
        async with house(
            "Merci.", data_dir=data_dir, store=store, rate_limit_messages=10_000
        ) as it:
            ana = await it.enter("ana")
            told: list[int] = []
            talking = asyncio.create_task(talk(ana, told))
            for number in range(3):
                await grown(told, 50)
                before = set(told)
                backup = tmp_path / f"{number}.zip"
                await asyncio.gather(changed(it), asyncio.to_thread(written, it, backup))
                await asyncio.to_thread(check, backup, tmp_path / f"restored-{number}", before)
            talking.cancel()
            assert len(told) > len(before)  # somebody talked meanwhile
    finally:
        await store.aclose()
    await book_is_whole(tmp_path / "restored-2")


async def talk(client: Client, told: list[int]) -> None:
    """Say one thing after the other; *told* are those that all have been told."""
    number = 0
    while True:
        await client.say(f"{number} {'é' * (number % 997)}")
        marker = f"{number} "
        await client.until(lambda f: f["type"] == "message" and f["text"].startswith(marker))  # noqa: B023
        told.append(number)
        number += 1


async def grown(told: list[int], more: int) -> None:
    wanted = len(told) + more
    async with asyncio.timeout(60):
        while len(told) < wanted:  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.01)


async def changed(place: House) -> None:
    for number in range(20):
        async with place.app.ledger.recording(ANNE, "persona.update", str(number)):
            pass


def written(place: House, path: Path) -> None:
    source = backup_source(place.app.settings)
    with path.open("wb") as out:
        write_backup(source, out, program="1", at=NOW, media=True, progress=lambda *_: None)


def check(path: Path, data_dir: Path, before: set[int]) -> None:
    target = restore_target(Settings(data_dir=data_dir))
    with opened_archive(path) as archive:
        archive.verify(lambda _done: None)
        restore(archive, target, at=NOW, may_replace=False, progress=lambda *_: None)
    for folder in ("chat-logs", "context"):
        assert before <= said_in(data_dir / folder)


def said_in(folder: Path) -> set[int]:
    """Return the numbers that were said; each line must be whole."""
    content = b"".join(each.read_bytes() for each in folder.glob("*.jsonl"))
    assert content.endswith(b"\n")
    lines = [json.loads(line) for line in content.split(b"\n")[:-1]]
    return {int(each["text"].split()[0]) for each in lines if each["nick"] == "ana"}


async def book_is_whole(data_dir: Path) -> None:
    target = restore_target(Settings(data_dir=data_dir))
    database = await Database.open(target.address)
    verdict = await SqlLedger(database, FrozenClock()).verify()
    await database.aclose()
    assert verdict.broken_at is None
    assert verdict.entries > 40
