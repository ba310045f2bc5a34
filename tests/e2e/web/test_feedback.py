"""Thumbs and pins on answers, in a real browser, to the pairs that come out of the export."""

import json
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Locator, Route, expect
from tests.e2e.web.browser import CHROMIUM, Visit, Visitors, beside
from tests.e2e.web.desk import TOKEN, Sessions
from tests.support.lasting_server import Server, simulated_model

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium"),
    pytest.mark.asyncio(loop_scope="module"),
]

SCRIPT = """
tokens_per_s = 300
first_token_delay_s = 0

[[answer]]
when = "musique concrète"
text = "Commence par @Schaeffer, il sait."
times = 1

[[answer]]
when = "musique concrète"
text = "Demande plutôt à Oliveros, elle écoute."

[[answer]]
when = "dangereux"
text = "<img src=x onerror=alert(1)> **gras**"

[[answer]]
when = "une idée"
text = "Une idée : le silence."

[[answer]]
when = "première"
text = "Réponse une."

[[answer]]
when = "deuxième"
text = "Réponse deux."

[[answer]]
when = "du doigt"
text = "Réponse au doigt."

[[answer]]
when = "reprise"
text = "Réponse reprise."

[[answer]]
when = "encore"
text = "Réponse refusée."

[[answer]]
text = "D'accord."
"""
QUESTION = "@Pharmacius qui sait ce qu'est la musique concrète ?"
GOOD, BAD = "Bonne réponse", "Mauvaise réponse"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def model(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[str]:
    script = tmp_path_factory.mktemp("model") / "script.toml"
    script.write_text(SCRIPT, encoding="utf-8")
    async with beside(simulated_model(script)) as url:
        yield url


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def server(model: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Server]:
    variables = {"PALABRE_AUTH__ADMIN_TOKEN": TOKEN, "PALABRE_ROOMS__CHAIN_DEPTH": "0"}
    rooms = Server(tmp_path_factory.mktemp("rooms"), model, variables)
    async with beside(rooms.running()) as running:
        yield running


@pytest.fixture(scope="module")
def sessions(server: Server) -> Sessions:
    return Sessions(server)


def line(visit: Visit, text: str) -> Locator:
    return visit.page.locator(".lines .line.message").filter(has_text=text)


async def judge(visit: Visit, text: str, name: str) -> None:
    """Go over the answer that says *text* and press the button *name*."""
    await line(visit, text).hover()
    bar = visit.page.get_by_role("toolbar")
    await expect(bar).to_have_attribute("data-shown", "true")
    await bar.get_by_role("button", name=name).click()
    await expect(bar.get_by_role("button", name=name)).to_have_attribute("aria-pressed", "true")


async def ask(visit: Visit, text: str, answer: str) -> None:
    await visit.say(text)
    await expect(line(visit, answer)).to_have_count(1)
    await expect(visit.page.locator(".growing")).to_have_count(0)


async def test_two_thumbs_on_two_answers_to_one_prompt_come_out_as_one_pair(
    server: Server, visitors: Visitors, sessions: Sessions
) -> None:
    visit = await visitors.open(server, "ada")
    await ask(visit, QUESTION, "Commence par")
    await ask(visit, QUESTION, "Demande plutôt")
    for text, name in (("Commence par", GOOD), ("Demande plutôt", BAD)):
        async with visit.page.expect_response("**/api/v2/feedback") as answered:
            await judge(visit, text, name)
        assert (await answered.value).status == 200
    exported = sessions.ask("GET", "api/v2/export/dpo")
    pairs = [json.loads(each) for each in exported.splitlines()]
    assert pairs == [
        {
            "prompt": QUESTION,
            "chosen": "Commence par @Schaeffer, il sait.",
            "rejected": "Demande plutôt à Oliveros, elle écoute.",
            "persona_id": "pharmacius",
        }
    ]
    assert visit.complaints == []


async def test_the_opposite_thumb_takes_the_place_of_the_first(
    server: Server, visitors: Visitors, sessions: Sessions
) -> None:
    visit = await visitors.open(server, "bob")
    await ask(visit, "@Eno une idée ?", "le silence")
    marks = line(visit, "le silence").locator(".marks")
    for name, said in ((GOOD, "jugée bonne"), (BAD, "jugée mauvaise")):
        async with visit.page.expect_response("**/api/v2/feedback"):
            await judge(visit, "le silence", name)
        await expect(marks).to_have_text(said)
    votes = [
        json.loads(each["message"])["vote"]
        for each in sessions.ask("GET", "api/admin/personas/eno/feedback")
    ]
    assert votes == ["down"]


async def test_a_thumb_that_is_pressed_again_is_taken_back(
    server: Server, visitors: Visitors, sessions: Sessions
) -> None:
    visit = await visitors.open(server, "hugo")
    await ask(visit, "@Eno reprise", "Réponse reprise.")
    said = line(visit, "Réponse reprise.")
    async with visit.page.expect_response("**/api/v2/feedback"):
        await judge(visit, "Réponse reprise.", BAD)
    await expect(said.locator(".marks")).to_have_text("jugée mauvaise")
    async with visit.page.expect_response("**/api/v2/feedback/*") as answered:
        await visit.page.get_by_role("button", name=BAD).click()
    assert (await answered.value).status == 200
    await expect(said.locator(".marks")).to_have_count(0)
    kept = sessions.ask("GET", "api/admin/personas/eno/feedback")
    assert not [each for each in kept if "Réponse reprise." in each["message"]]
    assert visit.complaints == []


async def test_a_pin_is_read_again_after_a_reload_and_can_be_taken_out(
    server: Server, visitors: Visitors
) -> None:
    visit = await visitors.open(server, "cleo")
    page = visit.page
    await ask(visit, "@Batty dangereux ?", "gras")
    async with page.expect_response("**/api/v2/feedback"):
        await line(visit, "gras").hover()
        await page.get_by_role("button", name="Épingler").click()
    await expect(page.get_by_role("button", name="épingles 1")).to_be_visible()
    await page.reload()
    await visit.is_connected()
    await page.get_by_role("button", name="épingles 1").click()
    panel = page.get_by_role("region", name="Épinglé dans ce navigateur")
    await expect(panel).to_contain_text("<img src=x onerror=alert(1)> gras")
    await expect(panel.locator("strong", has_text="gras")).to_have_count(1)
    await expect(panel.locator("img")).to_have_count(0)
    await panel.get_by_role("button", name="Retirer l'épingle de Batty").click()
    await expect(panel).to_contain_text("Plus rien d'épinglé.")
    await panel.get_by_role("button", name="Fermer").click()
    await expect(page.locator(".pins-switch")).to_be_hidden()
    assert visit.complaints == []


async def test_the_keyboard_judges_with_one_stop_for_all_answers(
    server: Server, visitors: Visitors
) -> None:
    visit = await visitors.open(server, "dora")
    page = visit.page
    await ask(visit, "@Eno première", "Réponse une.")
    await ask(visit, "@Eno deuxième", "Réponse deux.")
    await page.locator(".log").focus()
    await page.keyboard.press("Tab")
    good, bad = (page.get_by_role("button", name=name) for name in (GOOD, BAD))
    await expect(good).to_be_focused()
    await expect(page.locator(".line.meant")).to_contain_text("Réponse deux.")
    await page.keyboard.press("ArrowUp")
    await expect(page.locator(".line.meant")).to_contain_text("Réponse une.")
    await page.keyboard.press("ArrowRight")
    await expect(bad).to_be_focused()
    async with page.expect_response("**/api/v2/feedback"):
        await page.keyboard.press("Enter")
    await expect(page.locator(".marks")).to_have_count(1)
    await expect(page.locator(".line.meant .marks")).to_have_text("jugée mauvaise")
    await page.keyboard.press("Tab")
    await expect(page.locator(".verdict-bar")).to_have_attribute("data-shown", "false")


async def test_a_finger_taps_an_answer_to_judge_it(server: Server, visitors: Visitors) -> None:
    visit = await visitors.open(server, "emma", size=(375, 812), has_touch=True, is_mobile=True)
    page = visit.page
    await ask(visit, "@Eno du doigt", "Réponse au doigt.")
    await expect(page.locator(".verdict-bar")).to_have_attribute("data-shown", "false")
    await line(visit, "Réponse au doigt.").locator(".said").tap()
    await expect(page.locator(".verdict-bar")).to_have_attribute("data-shown", "true")
    for name in (GOOD, BAD, "Épingler"):
        box = await page.get_by_role("button", name=name).bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 44
    async with page.expect_response("**/api/v2/feedback"):
        await page.get_by_role("button", name=GOOD).tap()
    await expect(line(visit, "Réponse au doigt.").locator(".marks")).to_have_text("jugée bonne")
    assert await visit.overflow_px() == 0


async def test_a_thumb_that_is_not_taken_goes_back_and_says_why(
    server: Server, visitors: Visitors
) -> None:
    visit = await visitors.open(server, "fred")
    await ask(visit, "@Eno encore", "Réponse refusée.")

    async def refuse(route: Route) -> None:
        body = {"ok": False, "error": "reply_not_found"}
        await route.fulfill(status=404, json=body)

    await visit.page.route("**/api/v2/feedback", refuse)
    await line(visit, "Réponse refusée.").hover()
    await visit.page.get_by_role("button", name=GOOD).click()
    await visit.shows("L'avis sur Eno n'a pas été pris.")
    await expect(line(visit, "Réponse refusée.").locator(".marks")).to_have_count(0)


async def test_what_people_say_cannot_be_judged(server: Server, visitors: Visitors) -> None:
    visit = await visitors.open(server, "gina")
    await visit.say("bonjour tout le monde ici")
    mine = line(visit, "bonjour tout le monde ici").first
    await mine.hover()
    await expect(mine).not_to_have_class("meant")
    await expect(visit.page.locator(".meant")).to_have_count(0)
