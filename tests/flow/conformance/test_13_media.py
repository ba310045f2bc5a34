"""Seed 000 §13.2, §15: pictures and music that people wish for."""

import asyncio
import base64
import re
from pathlib import Path

import httpx2
import pytest
from tests.support.rooms import house, texts

from palabre.adapters.storage.media_files import MIB, FileMediaStore
from palabre.app.media import build_media
from palabre.app.settings import Settings
from palabre.core.chat.studio import MediaPorts
from palabre.core.models.errors import SilentServerError
from palabre.kernel.errors import StorageError, UpstreamError
from palabre.testing.media import (
    MemoryMediaStore,
    ScriptedComposer,
    ScriptedImageGenerator,
    a_png,
    a_wav,
)
from palabre.testing.simulators import comfyui, speech
from palabre.testing.telemetry import RecordingTelemetry

WISH = "dystopian cityscape"


def media(
    images: ScriptedImageGenerator | None = None,
    composer: ScriptedComposer | None = None,
    store: MemoryMediaStore | None = None,
) -> MediaPorts:
    return MediaPorts(images, composer, store or MemoryMediaStore())


async def test_a_picture_is_announced_and_shown_to_all() -> None:
    """§13.2 — /imagine: 1. system broadcast — "<nick> genere une image: ... (generation ~10-30s)"
    §13.2 — /imagine: 3. Appel generateImage(prompt)
    §13.2 — /imagine: 4. image broadcast — text: "[Image generee: \\"<prompt>\\" seed:<seed>]"
    §5.7 — image: nick, text, imageData, imageMime, seq
    """
    images = ScriptedImageGenerator(a_png(), seed=123456)
    async with house(media=media(images)) as place:
        ana, bob = await place.company("ana", "bob")
        await ana.command(f"/imagine  \t {WISH} ")
        mine = await ana.until(lambda frame: frame["type"] == "image")
        assert mine == await bob.until(lambda frame: frame["type"] == "image")
        assert images.prompts == [WISH]
        started, shown = mine
        line = f'ana genere une image: "{WISH}"... (generation ~10-30s)'
        assert started == {"type": "system", "text": line, "seq": started["seq"]}
        assert shown == {
            "type": "image",
            "nick": "ana",
            "text": f'[Image generee: "{WISH}" seed:123456]',
            "imageData": base64.b64encode(a_png()).decode(),
            "imageMime": "image/png",
            "seq": started["seq"] + 1,
        }


async def test_music_is_announced_and_played_to_all() -> None:
    """§13.2 — /compose: 1. system broadcast — "<nick> compose: ... generation en cours"
    §13.2 — /compose: 5. music broadcast — text: "[Musique: \\"<prompt>\\" — <elapsed>s]"
    §5.7 — music: nick, text, audioData, audioMime, seq
    """
    composer = ScriptedComposer(a_wav())
    async with house(media=media(composer=composer)) as place:
        ana, bob = await place.company("ana", "bob")
        await ana.command("/compose ambient drone, 45s")
        mine = await ana.until(lambda frame: frame["type"] == "music")
        assert mine == await bob.until(lambda frame: frame["type"] == "music")
        started, played = mine
        assert started["text"] == 'ana compose: "ambient drone" (45s)... generation en cours'
        assert played == {
            "type": "music",
            "nick": "ana",
            "text": '[Musique: "ambient drone" — 0s]',
            "audioData": base64.b64encode(a_wav()).decode(),
            "audioMime": "audio/wav",
            "seq": started["seq"] + 1,
        }


@pytest.mark.parametrize(
    ("line", "wish", "duration_s"),
    [
        ("ambient drone", "ambient drone", 30),
        ("ambient drone, 45s", "ambient drone", 45),
        ("x, 999s", "x", 120),
        ("x, 1s", "x", 5),
        ("x, 0s", "x", 5),
        ("x, 00060s", "x", 60),
        (f"x, {'9' * 5000}s", "x", 120),
        ("drone, doux, 10s", "drone, doux", 10),
        ("drone 10s doux", "drone 10s doux", 30),
        ("  \t drone,  10s  ", "drone", 10),
    ],
)
async def test_seconds_at_the_end_are_the_duration_and_no_part_of_the_wish(
    line: str, wish: str, duration_s: int
) -> None:
    """§13.2 — /compose: Parsing duree: regex (\\d+)s$. Clamp 5-120s. Defaut: 30s."""
    composer = ScriptedComposer()
    async with house(media=media(composer=composer)) as place:
        ana = await place.enter("ana")
        await ana.command(f"/compose {line}")
        await ana.until_type("music")
    assert composer.asked == [(wish, duration_s)]


async def test_a_duration_alone_is_no_wish() -> None:
    """§13.2 — /compose: Erreur si prompt vide: "Usage: /compose <description musicale>" """
    async with house(media=media(composer=ScriptedComposer())) as place:
        ana = await place.enter("ana")
        told = await ana.answer("/compose 45s")
        assert told["text"] == "Usage: /compose <description musicale>"


async def test_a_picture_that_fails_is_told_to_its_asker_alone() -> None:
    """§13.2 — /imagine: Erreur: system unicast — "Erreur ComfyUI: <message>" """
    images = ScriptedImageGenerator()
    images.error = UpstreamError(detail="out of memory")
    async with house(media=media(images)) as place:
        ana, bob = await place.company("ana", "bob")
        await ana.command(f"/imagine {WISH}")
        failed = (await ana.until_text("Erreur"))[-1]
        assert failed == {"type": "system", "text": "Erreur ComfyUI: out of memory"}
        assert len(await bob.so_far()) == 1


async def test_a_fault_of_the_program_has_a_reference_and_ends_the_wait() -> None:
    """Decision — an error of the program shows a reference, and the room goes on"""
    images = ScriptedImageGenerator()
    images.error = ValueError("bug")
    async with house(media=media(images)) as place:
        ana = await place.enter("ana")
        await ana.command(f"/imagine {WISH}")
        assert "error_" in (await ana.until_text("error_"))[-1]["text"]


async def test_music_that_takes_too_long_is_told_in_the_seeds_words() -> None:
    """§13.2 — /compose: Erreur timeout: "Composition timeout apres <N>s — la generation a pris..." """
    composer = ScriptedComposer()
    composer.error = SilentServerError(service="compose")
    async with house(media=media(composer=composer)) as place:
        ana = await place.enter("ana")
        await ana.command("/compose drone")
        told = (await ana.until_text("timeout"))[-1]["text"]
        assert told == "Composition timeout apres 0s — la generation a pris trop de temps."


async def test_stop_ends_the_work_and_the_next_command_waits_for_it() -> None:
    """Decision — /stop ends the pictures and the music that one waits for"""
    images = ScriptedImageGenerator()
    images.gate.clear()
    async with house(media=media(images)) as place:
        ana = await place.enter("ana")
        await ana.command(f"/imagine {WISH}")
        await ana.until_text("genere une image")
        await ana.command("/responders")
        await ana.command("/stop")
        told = texts(await ana.until_text("Usage: /responders"))
        assert len(told) == 2
        assert images.cancelled == 1


async def test_a_picture_goes_on_when_its_asker_leaves() -> None:
    """Decision — work belongs to the room: it goes on when the one who asked has left"""
    images = ScriptedImageGenerator()
    images.gate.clear()
    async with house(media=media(images)) as place:
        ana, bob = await place.company("ana", "bob")
        await ana.command(f"/imagine {WISH}")
        await bob.until_text("genere une image")
        await ana.leave()
        await bob.until(lambda frame: frame["type"] == "part")
        images.gate.set()
        assert (await bob.until_type("image"))["nick"] == "ana"


async def test_a_long_wish_is_cut_and_that_is_said() -> None:
    """§17 — Arg sanitization"""
    images = ScriptedImageGenerator()
    async with house(media=media(images)) as place:
        ana = await place.enter("ana")
        await ana.command(f"/imagine {'x' * 501}")
        told = texts(await ana.until(lambda frame: frame["type"] == "image"))
        assert told[0].startswith("Ta description dépasse 500 caractères")
        assert images.prompts == ["x" * 500]


async def test_who_cannot_keep_a_picture_says_so_and_shows_it() -> None:
    """Decision — what was made is never deleted silently: a full store is told"""
    store = MemoryMediaStore()
    store.error = StorageError(detail="No space left on device")
    async with house(media=media(ScriptedImageGenerator(), store=store)) as place:
        ana = await place.enter("ana")
        await ana.command(f"/imagine {WISH}")
        shown, told = (await ana.until_text("gardée"))[-2:]
        assert shown["type"] == "image"
        assert "No space left on device" in told["text"]


async def test_what_was_made_is_listed_and_served() -> None:
    """§13.2 — /imagine: 5. Persistence dans media-store
    §13.2 — /compose: 6. Persistence dans media-store
    §15 — GET /api/v2/media/images Liste images generees
    §15 — GET /api/v2/media/audio Liste audio genere
    §15 — GET /api/v2/media/images/:filename Servir image
    §15 — GET /api/v2/media/audio/:filename Servir audio
    """
    ports = media(ScriptedImageGenerator(), ScriptedComposer())
    async with house(media=ports) as place, httpx2.AsyncClient(base_url=place.http_url) as web:
        ana = await place.enter("ana")
        await ana.command(f"/imagine {WISH}")
        await ana.command("/compose drone")
        await ana.until_type("music")
        await ana.so_far()
        images = (await web.get("/api/v2/media/images")).json()
        audio = (await web.get("/api/v2/media/audio")).json()
        assert images["ok"] is True
        item = images["data"][0]
        fields = ["id", "type", "prompt", "nick", "channel", "createdAt", "mime", "filename"]
        assert list(item) == fields
        assert re.fullmatch(r"\d{13}-[0-9a-f]{8}", item["id"])
        assert (item["type"], item["nick"], item["channel"]) == ("image", "ana", "#general")
        assert (item["prompt"], item["mime"]) == (WISH, "image/png")
        picture = await web.get(f"/api/v2/media/images/{item['filename']}")
        assert (picture.content, picture.headers["content-type"]) == (a_png(), "image/png")
        music = await web.get(f"/api/v2/media/audio/{audio['data'][0]['filename']}")
        assert (music.content, music.headers["content-type"]) == (a_wav(), "audio/wav")


async def test_a_real_protocol_makes_a_picture_and_music_that_are_kept(tmp_path: Path) -> None:
    """§13.2 — /compose: 3. POST <TTS_URL>/compose avec { prompt, duration }"""
    async with comfyui() as pictures, speech() as music:
        settings = Settings(
            data_dir=tmp_path, media={"comfyui_url": pictures}, speech={"url": music}
        )
        store = FileMediaStore(tmp_path, RecordingTelemetry(), max_bytes=MIB)
        ports = await build_media(settings, store)
        async with house(media=ports) as place:
            ana = await place.enter("ana")
            await ana.command(f"/imagine {WISH}")
            async with asyncio.timeout(30):
                shown = await ana.until_type("image")
            await ana.command("/compose drone, 5s")
            played = await ana.until_type("music")
            await ana.so_far()
    kept = {each.suffix: each.read_bytes() for each in (tmp_path / "media").rglob("*.??*")}
    assert kept[".png"] == base64.b64decode(shown["imageData"])
    assert kept[".wav"] == base64.b64decode(played["audioData"])
