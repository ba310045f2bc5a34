"""The gallery: what was made here, seen again, kept, and made once more."""

import json
from pathlib import Path

import pytest
from playwright.async_api import Route, expect
from tests.e2e.web.browser import CHROMIUM, DEADLINE_MS, Visit, Visitors, beside, until
from tests.e2e.web.sounds import png, wav
from tests.support.lasting_server import Server, free_port, palabre

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium"),
    pytest.mark.asyncio(loop_scope="module"),
]

PROMPTS = ("un phare dans la brume", "la mer, vue d'une cave", "trois pluies <b>fines</b>")


def rows(kind: str, count: int = len(PROMPTS)) -> list[dict[str, str]]:
    ending = "png" if kind == "image" else "wav"
    return [
        {
            "id": f"{kind}-{number}",
            "type": kind,
            "prompt": PROMPTS[number % len(PROMPTS)],
            "nick": "ada",
            "channel": "#general",
            "createdAt": "2026-05-04T10:00:00Z",
            "mime": f"{kind}/{ending}",
            "filename": f"{kind} {number}.{ending}",
        }
        for number in range(count)
    ]


async def shelves(visit: Visit, images: list, audio: list) -> list[str]:
    """Fill the shelves; returns the list of the files that were fetched."""
    fetched: list[str] = []

    async def answer(route: Route) -> None:
        path = route.request.url.split("/api/v2/media/")[1]
        if path in {"images", "audio"}:
            body = {"ok": True, "data": images if path == "images" else audio}
            await route.fulfill(body=json.dumps(body), content_type="application/json")
            return
        fetched.append(path)
        number = int(path.rsplit("%20")[1].split(".")[0])
        data = png(120, 120, (200, 40 * (number % 6), 90)) if "images/" in path else wav(0.3)
        await route.fulfill(
            body=data, content_type="image/png" if "images/" in path else "audio/wav"
        )

    await visit.page.route("**/api/v2/media/**", answer)
    return fetched


async def test_pictures_are_looked_at_and_made_again(server: Server, visitors: Visitors) -> None:
    visit = await visitors.open(server, "ada")
    await shelves(visit, rows("image"), rows("audio"))
    page = visit.page
    await page.get_by_role("link", name="Galerie").click()
    await expect(page.locator("#gallery-title")).to_be_focused()
    await expect(page.locator(".piece")).to_have_count(3)
    await expect(page.locator(".piece-prompt").last).to_have_text(PROMPTS[2])
    await expect(page.locator(".piece-by").first).to_contain_text("ada · 4 mai 2026")
    await page.get_by_role("button", name=f"Agrandir : {PROMPTS[0]}").press("Enter")
    viewer = page.locator("dialog.viewer")
    await expect(viewer).to_be_visible()
    await page.keyboard.press("ArrowLeft")
    await expect(viewer).to_contain_text("3 sur 3")
    download = viewer.get_by_role("link", name="Télécharger")
    assert await download.get_attribute("href") == "api/v2/media/images/image%202.png"
    await page.keyboard.press("Escape")
    await expect(viewer).to_have_count(0)
    await page.locator(".piece").first.get_by_role("button", name="Refaire").click()
    await expect(page.locator(".gallery")).to_have_count(0)
    await expect(visit.field).to_have_value(f"/imagine {PROMPTS[0]}")
    await expect(visit.field).to_be_focused()
    assert visit.complaints == []


async def test_a_picture_that_is_made_is_seen_in_the_talk_and_in_the_gallery(
    model: str, tmp_path: Path, visitors: Visitors
) -> None:
    port = free_port()
    painter = palabre(port, "sim", "comfyui", "--step-s", "0.05", log=tmp_path / "comfyui.log")
    server = Server(tmp_path, model, {"COMFYUI_URL": f"http://127.0.0.1:{port}"})
    async with beside(painter), beside(server.running()):
        visit = await visitors.open(server, "ada")
        page = visit.page
        await visit.say("/imagine un phare")
        await expect(page.locator(".picture img")).to_be_visible(timeout=DEADLINE_MS)
        await page.get_by_role("link", name="Galerie").click()
        piece = page.locator(".piece")
        await expect(piece).to_have_count(1)
        await expect(piece).to_contain_text("un phare")
        await expect(piece).to_contain_text("ada · ")
        width = "(image) => image.decode().then(() => image.naturalWidth)"
        assert await piece.locator("img").evaluate(width) > 0
        await piece.locator(".piece-view").click()
        link = page.locator("dialog.viewer").get_by_role("link", name="Télécharger")
        async with page.expect_download() as download:
            await link.click()
        saved = await (await download.value).path()
        assert saved.read_bytes().startswith(b"\x89PNG")
        assert visit.complaints == []


async def test_music_is_fetched_when_it_is_played(server: Server, visitors: Visitors) -> None:
    visit = await visitors.open(server, "ada")
    fetched = await shelves(visit, rows("image"), rows("audio"))
    page = visit.page
    await page.evaluate("location.hash = '#gallery'")
    await page.get_by_role("tab", name="Images").press("ArrowRight")
    await expect(page.get_by_role("tab", name="Musique")).to_be_focused()
    await expect(page.locator(".piece audio")).to_have_count(3)
    assert not [path for path in fetched if path.startswith("audio/")]
    async with page.expect_request("**/api/v2/media/audio/audio%200.wav"):
        await page.locator(".piece audio").first.evaluate("(audio) => void audio.play()")
    await page.locator(".piece").last.get_by_role("button", name="Refaire").click()
    await expect(visit.field).to_have_value(f"/compose {PROMPTS[2]}")


async def test_pictures_out_of_sight_are_not_fetched(server: Server, visitors: Visitors) -> None:
    visit = await visitors.open(server, "ada", size=(375, 600))
    fetched = await shelves(visit, rows("image", 200), [])
    await visit.page.evaluate("location.hash = '#gallery'")
    await expect(visit.page.locator(".piece")).to_have_count(48)
    await visit.page.get_by_role("button", name="En montrer plus (152)").click()
    await expect(visit.page.locator(".piece")).to_have_count(96)
    await until(_any(fetched), lambda: "not one picture was fetched")
    assert len(fetched) < 96


def _any(fetched: list[str]):
    async def is_there() -> bool:
        return bool(fetched)

    return is_there


async def test_an_empty_gallery_tells_how_to_fill_it(server: Server, visitors: Visitors) -> None:
    visit = await visitors.open(server, "ada", path="#gallery")
    await shelves(visit, [], [])
    page = visit.page
    await page.reload()
    await expect(page.locator(".gallery-note")).to_contain_text("/imagine")
    await page.get_by_role("tab", name="Musique").click()
    await page.get_by_role("button", name="Écrire /compose").click()
    await expect(visit.field).to_have_value("/compose ")


async def test_a_gallery_that_does_not_answer_can_be_asked_again(
    server: Server, visitors: Visitors
) -> None:
    visit = await visitors.open(server, "ada")

    async def fail(route: Route) -> None:
        await route.fulfill(status=500, body="x")

    await visit.page.route("**/api/v2/media/**", fail)
    await visit.page.evaluate("location.hash = '#gallery'")
    await visit.shows("La galerie n'a pas répondu.", ".gallery-note")
    await visit.page.unroute("**/api/v2/media/**")
    await shelves(visit, rows("image"), [])
    await visit.page.get_by_role("button", name="Réessayer").click()
    await expect(visit.page.locator(".piece")).to_have_count(3)


async def test_the_talk_goes_on_below_the_gallery(server: Server, visitors: Visitors) -> None:
    visit = await visitors.open(server, "ada")
    await shelves(visit, rows("image"), [])
    await visit.say("avant la galerie")
    await expect(visit.said("ada", "avant la galerie")).to_have_count(1)
    await visit.page.get_by_role("link", name="Galerie").click()
    await expect(visit.page.locator("main.talk")).to_have_attribute("inert", "")
    await visit.page.locator("#gallery-title").press("Escape")
    await expect(visit.page.locator(".gallery")).to_have_count(0)
    await expect(visit.said("ada", "avant la galerie")).to_be_visible()
