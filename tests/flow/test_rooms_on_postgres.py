"""The whole program with a Postgres in which all that must last is kept."""

import asyncio
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.support.databases import address_of
from tests.support.rooms import House, house, is_final

from palabre.core.chat.model import Utterance
from palabre.core.media.model import MediaItem
from palabre.kernel.ids import ChannelName, Nick
from palabre.testing.clock import FrozenClock
from palabre.testing.media import a_png
from palabre.testing.models import ScriptedProvider

NOW = datetime(2026, 3, 20, 10, tzinfo=UTC)
GENERAL = ChannelName("#general")
LESSON = json.dumps({"facts": ["Ana aime la pluie"], "summary": "De la pluie"})
SUMMARY = "Ana et Bob parlent de décor, de planches, de peinture et de samedi."
PICTURE = MediaItem(
    "1774000000001-0000abcd", "image", "pluie", "ana", GENERAL, NOW, "image/png",
    "1774000000001-0000abcd.png",
)  # fmt: skip

Storage = dict[str, Any]


@pytest.fixture
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Storage:
    address = address_of("postgres", request, tmp_path)
    return {"database_url": address.url.render_as_string(hide_password=False)}


def files_of(data_dir: Path) -> list[str]:
    names = [path.relative_to(data_dir).as_posix() for path in data_dir.rglob("*")]
    return sorted(name for name in names if not name.startswith("palabre."))


async def until(condition: Callable[[], Any], seconds: float = 30) -> None:
    async with asyncio.timeout(seconds):
        while not await condition():  # noqa: ASYNC110
            await asyncio.sleep(0.05)


async def talk_of_rain(place: House) -> None:
    ana = await place.enter("ana")
    for number in range(5):
        await ana.say(f"@Schaeffer J'aime la pluie {number}")
        await ana.until(lambda frame: is_final(frame, "Schaeffer"))

    async def learnt() -> bool:
        return "Ana aime la pluie" in (await ana.answer("/memory Schaeffer"))["text"]

    await until(learnt)


async def test_what_is_said_learnt_and_made_outlives_the_program_in_tables_alone(
    tmp_path: Path, storage: Storage
) -> None:
    given: dict[str, Any] = {"store": None, "clock": FrozenClock(NOW), "storage": storage}
    answers = [*["Écoutez."] * 5, LESSON]
    async with house(*answers, data_dir=tmp_path / "data", **given) as place:
        await talk_of_rain(place)
        media = place.app.ports.media
        assert media is not None
        await media.store.save(PICTURE, a_png())
    async with house(data_dir=tmp_path / "data", **given) as place:
        bob = await place.enter("bob")
        replayed = [frame["text"] for frame in bob.welcome if frame["type"] == "message"]
        assert "[10:00] @Schaeffer J'aime la pluie 4" in replayed
        assert len(replayed) == 10
        page = (await bob.answer("/context"))["text"]
        assert "Messages stockes: 10\n" in page
        assert "Canaux: 1\n" in page
        export = (await bob.answer("/export"))["text"]
        assert export.startswith("# Export #general")
        assert export.count("Écoutez.") == 5
        assert "Ana aime la pluie" in (await bob.answer("/memory Schaeffer"))["text"]
        async with httpx2.AsyncClient(base_url=place.http_url) as web:
            got = await web.get(f"/api/v2/media/images/{PICTURE.file_name}")
            assert (got.status_code, got.content) == (200, a_png())
            listed = (await web.get("/api/v2/media/images")).json()["data"]
            assert [each["prompt"] for each in listed] == ["pluie"]
            health = (await web.get("/api/v2/health")).json()["data"]
            assert (health["storage"], health["database"]["status"]) == ("postgres", "ok")
    assert files_of(tmp_path / "data") == []


async def test_a_channel_that_has_grown_is_summarised_while_people_talk(
    tmp_path: Path, storage: Storage
) -> None:
    provider = ScriptedProvider(SUMMARY, name="ollama", models=("qwen3:8b",))
    async with house(
        provider=provider,
        data_dir=tmp_path / "data",
        store=None,
        clock=FrozenClock(NOW),
        storage=storage,
        context={"check_every_s": 0.3},
    ) as place:
        store = place.app.ports.store
        async with asyncio.TaskGroup() as tasks:
            for number in range(900):
                words = f"{number} décor planches peinture samedi " + "é" * 600
                tasks.create_task(store.append(Utterance(NOW, GENERAL, Nick("bob"), words)))

        async def summarised() -> bool:
            return (await store.stats(GENERAL)).compactions == 1

        await until(summarised)
        provider.script("Bien sûr.")
        ana = await place.enter("ana")
        await ana.say("@Batty tu te souviens ?")
        await ana.until(lambda frame: is_final(frame, "Batty"))
        page = (await ana.answer("/context"))["text"]
        assert f"Messages stockes: {900 // 5 + 2}\n" in page
        assert "Compacte: oui\n  Entries compactees: 720\n  Compactions: 1\n" in page
        asked = provider.requests[-1].messages[-1].content
        assert f"Résumé: {SUMMARY}" in asked
        assert "899 décor" in asked


async def test_files_mirror_the_tables_where_their_owner_wants_them(
    tmp_path: Path, storage: Storage
) -> None:
    data = tmp_path / "data"
    answers = [*["Écoutez."] * 5, LESSON]
    async with house(
        *answers,
        data_dir=data,
        store=None,
        clock=FrozenClock(NOW),
        storage={**storage, "mirror_files": True},
    ) as place:
        await talk_of_rain(place)
        media = place.app.ports.media
        assert media is not None
        await media.store.save(PICTURE, a_png())
    log = (data / "chat-logs/v2-2026-03-20.jsonl").read_text().splitlines()
    assert json.loads(log[0])["text"] == "@Schaeffer J'aime la pluie 0"
    assert len(log) == len((data / "context/_general.jsonl").read_text().splitlines()) == 10
    record = json.loads((data / "v2-local/persona-memory/schaeffer.json").read_text())
    assert record["workingMemory"]["facts"] == ["Ana aime la pluie"]
    assert (data / "media/images" / PICTURE.file_name).read_bytes() == a_png()
