"""A talk as the documentation shows it: with DOCS_SCREENSHOTS=1 its pictures go to docs/images."""

import base64
import json
import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import expect
from tests.e2e.web.browser import CHROMIUM, DEADLINE_MS, Visit, Visitors, beside
from tests.e2e.web.plain import plain_client
from tests.support.lasting_server import Server, free_port, palabre, simulated_model
from websockets.asyncio.client import ClientConnection

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium"),
    pytest.mark.asyncio(loop_scope="module"),
]

SCRIPT = """
tokens_per_s = 200
first_token_delay_s = 0

[[answer]]
when = "pluie"
text = "La pluie, je l'ai vue tomber sur des toits sans fin. Elle efface tout ce qu'on n'a pas su dire à temps."
error = "silent"
after_tokens = 14

[[answer]]
when = "Xenakis"
text = "Xenakis calcule des **masses** : il dessine un nuage, puis il en compte les grains."
times = 1

[[answer]]
text = "Concert à 19 h, débat à 21 h : *deux heures de bande*, puis des mots. Il manque une affiche."
"""
PROGRAMME = "Samedi, 19 h : concert de bande. 21 h : débat, que garder d'un son ?"


@asynccontextmanager
async def rooms(home: Path) -> AsyncIterator[Server]:
    """A server that sees, hears, speaks and draws, all of it simulated."""
    script = home / "model.toml"
    script.write_text(SCRIPT, encoding="utf-8")
    painter, sidecar = free_port(), free_port()
    async with AsyncExitStack() as stack:
        model = await stack.enter_async_context(beside(simulated_model(script)))
        for peer, port in (("comfyui", painter), ("speech", sidecar)):
            log = home / f"{peer}.log"
            await stack.enter_async_context(beside(palabre(port, "sim", peer, log=log)))
        variables = {
            "COMFYUI_URL": f"http://127.0.0.1:{painter}",
            "TTS_URL": f"http://127.0.0.1:{sidecar}",
            "TTS_ENABLED": "1",
            "PALABRE_ROOMS__MAX_RESPONDERS": "1",
        }
        yield await stack.enter_async_context(beside(Server(home, model, variables).running()))


@pytest.mark.parametrize("size", [(1440, 900), (375, 812)], ids=["1440", "375"])
async def test_a_talk_as_the_documentation_shows_it(
    tmp_path: Path, visitors: Visitors, size: tuple[int, int]
) -> None:
    async with rooms(tmp_path) as server:
        visit = await visitors.open(server, "Ada", size=size, at="2026-03-20T20:12:00")
        async with plain_client(server, "Lea") as lea:
            await _talk(visit, lea)
            path = _place(tmp_path, f"rooms-dark-{size[0]}.png")
            await visit.page.screenshot(path=path)
        assert visit.complaints == []  # once the server has ended the page complains of that
    assert path.stat().st_size > 40_000


async def _talk(visit: Visit, lea: ClientConnection) -> None:
    clock, page = visit.page.clock.set_fixed_time, visit.page
    await clock("2026-03-20T20:13:00")
    await visit.say("Bonjour @Schaeffer, que penses-tu de Xenakis ?")
    await expect(visit.said("Schaeffer", "les grains.")).to_have_count(1)
    await clock("2026-03-20T20:14:00")
    await _share(lea, "programme.txt", PROGRAMME)
    await expect(page.locator(".line.message", has_text="deux heures de bande")).to_have_count(1)
    await clock("2026-03-20T20:15:00")
    await visit.say("/imagine l'affiche : un phare dans la brume")
    await expect(page.locator(".picture img")).to_be_visible(timeout=DEADLINE_MS)
    await clock("2026-03-20T20:17:00")
    await _ask(lea, "Et la pluie, @Batty, tu t'en souviens ?")
    await expect(page.locator(".growing")).to_contain_text("Elle efface")
    await visit.field.fill("@Radigue, et toi ?")


async def _ask(peer: ClientConnection, text: str) -> None:
    await peer.send(json.dumps({"type": "message", "text": text}))


async def _share(peer: ClientConnection, name: str, words: str) -> None:
    content = words.encode()
    frame = {
        "type": "upload",
        "filename": name,
        "mimeType": "text/plain",
        "data": base64.b64encode(content).decode(),
        "size": len(content),
    }
    await peer.send(json.dumps(frame))


def _place(tmp_path: Path, name: str) -> Path:
    if not os.environ.get("DOCS_SCREENSHOTS"):
        return tmp_path / name
    return Path(__file__).parents[3] / "docs" / "images" / name
