"""The talk on the page: streaming, several clients, coming back."""

from pathlib import Path

import pytest
from playwright.async_api import expect
from tests.e2e.web.browser import CHROMIUM, Visitors, beside
from tests.e2e.web.plain import frames_until, plain_client
from tests.support.lasting_server import Server

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium"),
    pytest.mark.asyncio(loop_scope="module"),
]


async def test_the_page_loads_without_complaint_and_asks_no_other_host(
    server: Server, visitors: Visitors
) -> None:
    visit = await visitors.open(server, "calme")
    await visit.shows("Ton nick: calme")
    await visit.say("Bonjour")
    await expect(visit.said("calme", "Bonjour")).to_have_count(1)
    assert visit.complaints == []
    assert visit.strangers == []


async def test_two_browsers_and_a_plain_client_see_the_same_talk(
    server: Server, visitors: Visitors
) -> None:
    ada = await visitors.open(server, "ada")
    lea = await visitors.open(server, "lea")
    async with plain_client(server, "plain") as plain:
        await ada.say("Bonjour @Schaeffer, que penses-tu de Xenakis ?")
        frames = await frames_until(plain, {"type": "message", "nick": "Schaeffer"})
    spoken = frames[-1]["text"]
    chunks = [frame for frame in frames if frame["type"] == "chunk"]
    assert "".join(chunk["text"] for chunk in chunks) == spoken
    assert [chunk["seq"] for chunk in chunks] == list(range(1, len(chunks) + 1))
    for visit in (ada, lea):
        await expect(visit.said("ada", "que penses-tu de Xenakis ?")).to_have_count(1)
        await expect(visit.said("Schaeffer", "puis il en compte les grains.")).to_have_count(1)
        await expect(visit.page.locator(".growing")).to_have_count(0)
        await expect(visit.page.locator(".lines strong", has_text="masses").last).to_be_visible()


async def test_a_reply_grows_and_can_be_stopped_by_who_asked(
    server: Server, visitors: Visitors
) -> None:
    ada = await visitors.open(server, "ada")
    lea = await visitors.open(server, "lea")
    await ada.say("@Batty, parle longtemps")
    growing = lea.page.locator(".growing .said")
    await expect(growing).to_contain_text("Une phrase")
    first = await growing.inner_text()
    await expect(growing).not_to_have_text(first)
    await expect(lea.page.locator(".stop")).to_have_count(0)
    await ada.page.locator(".stop").click()
    for visit in (ada, lea):
        await expect(visit.page.locator(".growing")).to_have_count(0)
    await expect(ada.page.locator(".stop")).to_have_count(0)


async def test_finished_messages_are_announced_and_growing_ones_are_not(
    server: Server, visitors: Visitors
) -> None:
    ada = await visitors.open(server, "ada")
    await ada.say("@Batty, parle longtemps")
    await expect(ada.page.locator(".growing")).to_have_count(1)
    assert await ada.page.locator("[role=log][aria-live=polite] .growing").count() == 0
    assert await ada.page.locator("[role=log][aria-live=polite]").count() == 1
    await ada.say("/stop")


async def test_the_page_comes_back_when_the_server_does(
    model: str, tmp_path: Path, visitors: Visitors
) -> None:
    server = Server(tmp_path, model)
    async with beside(server.running()):
        visit = await visitors.open(server, "ada")
        await visit.say("avant")
        await expect(visit.said("ada", "avant")).to_have_count(1)
        await visit.page.get_by_label("Nom du salon").fill("#musique")
        await visit.page.get_by_label("Nom du salon").press("Enter")
        await visit.shows("Canal change: #musique")
    status = visit.page.locator(".status")
    await expect(status).to_contain_text("reconnexion")
    await expect(status).to_contain_text("/20")
    await visit.field.fill("un brouillon")
    await expect(visit.page.locator(".note")).to_have_text(
        "Pas de connexion : ton texte t'attend ici."
    )
    async with beside(server.running()):
        await visit.is_connected()
        await visit.shows("Canal change: #musique")
        await expect(visit.page.locator(".tab[aria-current]")).to_contain_text("#musique")
        await visit.field.press("Enter")
        await expect(visit.said("ada", "un brouillon")).to_have_count(1)
        await visit.page.locator(".tab", has_text="#general").click()
        await expect(visit.said("ada", "avant")).to_have_count(1)


async def test_the_servers_first_channel_is_entered_and_not_joined_again(
    model: str, tmp_path: Path, visitors: Visitors
) -> None:
    server = Server(tmp_path, model, {"PALABRE_ROOMS__DEFAULT_CHANNEL": "#salon"})
    async with beside(server.running()):
        visit = await visitors.open(server, "ada")
        await expect(visit.page.locator(".tab")).to_have_text(["1:#salon"])
        await visit.shows("Ton nick: ada")
    await expect(visit.page.locator(".status")).to_contain_text("reconnexion")
    async with beside(server.running()):
        await visit.is_connected()
        await visit.say("encore")
        await expect(visit.said("ada", "encore")).to_have_count(1)
    assert not [frame for frame in visit.frames if "/join" in frame]


async def test_clear_empties_the_log_for_everybody(server: Server, visitors: Visitors) -> None:
    ada = await visitors.open(server, "ada")
    lea = await visitors.open(server, "lea")
    await ada.say("@Eno à effacer")
    await expect(lea.said("ada", "à effacer")).to_have_count(1)
    await ada.say("/clear")
    await expect(lea.said("ada", "à effacer")).to_have_count(0)
    await expect(lea.page.locator(".welcome")).to_be_visible()


async def test_who_leaves_stays_away_until_the_button_is_pressed(
    server: Server, visitors: Visitors
) -> None:
    visit = await visitors.open(server, "ada")
    await visit.page.get_by_role("button", name="Se déconnecter").click()
    await expect(visit.page.locator("[data-state=disconnected]")).to_contain_text("déconnecté")
    await visit.page.get_by_role("button", name="Se reconnecter").click()
    await visit.is_connected()
    await visit.say("me revoilà")
    await expect(visit.said("ada", "me revoilà")).to_have_count(1)


async def test_a_refused_nick_is_told(server: Server, visitors: Visitors) -> None:
    visit = await visitors.open(server, "Batty")
    await visit.shows("Le pseudo « Batty » est pris ou n'est pas valide")
