"""What rooms keep goes with a backup from files into Postgres, and back."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest
from tests.support.databases import address_of, with_database
from tests.support.postgres import Postgres

from palabre.adapters.storage.sql.database import Database
from palabre.app.cli.main import main
from palabre.app.database import opened_database
from palabre.app.settings import Settings
from palabre.app.storage import media_of, memories_of, open_messages
from palabre.core.chat.model import Utterance
from palabre.core.chat.ports import MessageStore
from palabre.core.media.model import MediaItem
from palabre.core.media.ports import MediaStore
from palabre.core.memory.model import Record
from palabre.core.memory.ports import MemoryStore
from palabre.kernel.ids import ChannelName, Nick, PersonaId
from palabre.testing.clock import FrozenClock
from palabre.testing.telemetry import RecordingTelemetry

NOW = FrozenClock().now()
ROOM, BATTY = ChannelName("#général"), PersonaId("batty")
PICTURE = MediaItem(
    "1742378400000-0a1b2c3d",
    "image",
    "une colline",
    "ana",
    ROOM,
    NOW,
    "image/png",
    "1742378400000-0a1b2c3d.png",
)


@dataclass
class Kept:
    messages: MessageStore
    memories: MemoryStore
    media: MediaStore
    database: Database

    async def fill(self) -> None:
        for number in range(20):
            at = NOW + timedelta(seconds=number)
            await self.messages.append(Utterance(at, ROOM, Nick("ana"), f"parole {number}"))
        backlog = await self.messages.backlog(ROOM, 0.8, 10)
        assert backlog is not None
        assert await self.messages.compact(backlog, "On a compté.", NOW)
        for fact in ("Ana compte", "Ana recompte"):
            await self.memories.revise(
                BATTY,
                Nick("Batty"),
                lambda _, fact=fact: Record(BATTY, Nick("Batty"), (fact,), updated_at=NOW),
            )
        await self.media.save(PICTURE, b"png" * 200_000)

    async def check(self) -> None:
        latest = await self.messages.latest(ROOM, 50)
        assert [each.text for each in latest] == [f"parole {n}" for n in range(16, 20)]
        told = await self.messages.within(ROOM, 10_000)
        assert told[0].text == "On a compté."
        stats = await self.messages.stats(ROOM)
        assert (stats.messages, stats.compacted_entries, stats.compactions) == (4, 16, 1)
        assert (await self.memories.record(BATTY, Nick("Batty"))).facts == ("Ana recompte",)
        assert [each.described for each in await self.media.latest("image")] == [PICTURE.described]
        content = b"".join([piece async for piece in self.media.read(PICTURE)])
        assert content == b"png" * 200_000


@asynccontextmanager
async def opened(settings: Settings) -> AsyncGenerator[Kept]:
    telemetry = RecordingTelemetry()
    async with opened_database(settings) as database:
        messages = await open_messages(settings, database, telemetry)
        try:
            memories = memories_of(settings, database, telemetry)
            yield Kept(messages, memories, media_of(settings, database, telemetry), database)
        finally:
            await messages.aclose()


def run(*arguments: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    assert not ended.value.code


@pytest.fixture
def homes(
    request: pytest.FixtureRequest, tmp_path: Path, postgres: Postgres
) -> tuple[Settings, Settings]:
    """An installation in files, and one in Postgres."""
    url = address_of("postgres", request, tmp_path).url.render_as_string(hide_password=False)
    url = url.replace("postgresql+psycopg", "postgresql")
    in_files = Settings(data_dir=with_database(tmp_path / "files"))
    return in_files, Settings(data_dir=tmp_path / "rows", storage={"database_url": url})


def use(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PALABRE_DATA_DIR", str(settings.data_dir))
    url = settings.storage.database_url
    if url is None:
        monkeypatch.delenv("DATABASE_URL", raising=False)
    else:
        monkeypatch.setenv("DATABASE_URL", url.get_secret_value())


async def test_rooms_go_from_files_into_postgres_and_back(
    homes: tuple[Settings, Settings], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_files, in_rows = homes
    async with opened(in_files) as kept:
        await kept.fill()
        await kept.check()

    def move(one: Settings, other: Settings, name: str) -> None:
        use(one, monkeypatch)
        run("backup", str(tmp_path / name))
        use(other, monkeypatch)
        run("restore", str(tmp_path / name), "--replace")

    await asyncio.to_thread(move, in_files, in_rows, "a.zip")
    async with opened(in_rows) as kept:
        await kept.check()
    again = Settings(data_dir=tmp_path / "again")
    await asyncio.to_thread(move, in_rows, again, "b.zip")
    async with opened(again) as kept:
        await kept.check()
