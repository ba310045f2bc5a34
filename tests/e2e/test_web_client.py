"""The page in a real browser, on a real server, with a simulated model behind it."""

import asyncio
import json
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import expect
from tests.e2e.browser import CHROMIUM, Server, Visit, Visitors, chromium, simulated_model, until
from websockets.asyncio.client import ClientConnection, connect

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium"),
    pytest.mark.asyncio(loop_scope="module"),
]

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABpfZFQAAAAABJRU5ErkJggg=="
SLOW = "Une phrase longue. " * 60
SCRIPT = f"""
tokens_per_s = 60
first_token_delay_s = 0.1

[[answer]]
when = "longtemps"
text = "{SLOW}"
tokens_per_s = 10

[[answer]]
when = "dangereux"
text = "<img src=x onerror=alert(1)> **gras** [x](javascript:alert(1)) https://example.org/a"

[[answer]]
when = "portrait"
text = "**Pierre Schaeffer**, ingénieur du son : d'abord *écouter*, ensuite nommer."

[[answer]]
when = "Xenakis"
text = "Xenakis calcule des **masses** : il dessine un nuage, puis il en compte les grains."

[[answer]]
when = "machine"
text = '''
Trois règles, et elle ne s'arrête plus :

- un grain a une *durée* et une *hauteur*
- le hasard choisit, la moyenne décide
- rien ne se répète tout à fait

```
pour chaque grain dans nuage(densité=40):
    jouer(grain, hauteur=tirage(loi="gauss"))
```
Demande à @Schaeffer ce qu'il en entend.'''
tokens_per_s = 400

[[answer]]
when = "lentement"
text = "Une seule note, et l'attendre. Au bout d'une heure elle n'est plus la même : c'est *toi* qui as bougé."

[[answer]]
when = "entend"
text = "Un bruit de sable. Je coupe l'attaque du son, et le sable devient de l'eau."

[[answer]]
when = "pluie"
persona = "Batty"
text = "La pluie, je l'ai vue tomber sur des toits sans fin. Elle efface tout ce qu'on n'a pas su dire à temps."
error = "silent"
after_tokens = 14

[[answer]]
text = "D'accord."
"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def model(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[str]:
    script = tmp_path_factory.mktemp("model") / "script.toml"
    script.write_text(SCRIPT, encoding="utf-8")
    async with simulated_model(script) as url:
        yield url


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def server(model: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Server]:
    async with Server(tmp_path_factory.mktemp("rooms"), model).running() as running:
        yield running


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser_visitors() -> AsyncIterator[Visitors]:
    async with chromium() as browser:
        yield Visitors(browser)


@pytest_asyncio.fixture(loop_scope="module")
async def visitors(browser_visitors: Visitors) -> AsyncIterator[Visitors]:
    yield browser_visitors
    await browser_visitors.leave()


def plain_client(server: Server, nick: str) -> connect:
    """A client without a page; it need not read what it is sent."""
    return connect(f"{server.socket_url}?nick={nick}", max_queue=None)


async def frames_until(peer: ClientConnection, last: dict[str, str]) -> list[dict]:
    """Read frames of a plain client until one that holds *last*."""
    frames: list[dict] = []
    async with asyncio.timeout(15):
        while not (frames and last.items() <= frames[-1].items()):
            frames.append(json.loads(await peer.recv()))
    return frames


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
    async with server.running():
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
    async with server.running():
        await visit.is_connected()
        await visit.shows("Canal change: #musique")
        await expect(visit.page.locator(".tab[aria-current]")).to_contain_text("#musique")
        await visit.field.press("Enter")
        await expect(visit.said("ada", "un brouillon")).to_have_count(1)
        await visit.page.locator(".tab", has_text="#general").click()
        await expect(visit.said("ada", "avant")).to_have_count(1)


async def test_everything_can_be_done_with_the_keyboard(server: Server, visitors: Visitors) -> None:
    visit = await visitors.open(server)
    page = visit.page
    press = page.keyboard.press
    await expect(page.locator("#nick-field")).to_be_focused()
    await page.keyboard.type("Ida")
    await press("Enter")
    await expect(page.locator(".prompt-nick")).to_have_text("Ida")
    await expect(visit.field).to_be_focused()

    await page.keyboard.type("@sch")
    await expect(page.locator(".candidate")).to_have_count(1)
    await press("Tab")
    await expect(visit.field).to_have_value("@Schaeffer ")
    await page.keyboard.type("ton portrait ?")
    await press("Shift+Enter")
    await page.keyboard.type("s'il te plaît")
    await press("Enter")
    await expect(visit.said("Ida", "s'il te plaît")).to_have_count(1)
    await expect(visit.said("Schaeffer", "ensuite nommer.")).to_have_count(1)

    await press("ArrowUp")
    await press("ArrowUp")
    await expect(visit.field).to_have_value("@Schaeffer ton portrait ?\ns'il te plaît")
    await visit.field.fill("/mo")
    await press("Tab")
    await expect(visit.field).to_have_value("/models ")
    await press("Enter")
    await visit.shows("=== Modeles Ollama ===")


async def test_tab_walks_through_the_candidates_and_never_holds_the_focus(
    server: Server, visitors: Visitors
) -> None:
    visit = await visitors.open(server, "ada")
    press = visit.page.keyboard.press
    await visit.field.focus()
    await press("Tab")
    await expect(visit.field).not_to_be_focused()
    await visit.field.focus()
    await visit.page.keyboard.type("/m")
    await press("Tab")
    first = await visit.field.input_value()
    await press("Tab")
    second = await visit.field.input_value()
    assert first != second
    await press("Shift+Tab")
    await expect(visit.field).to_have_value(first)
    await press("Escape")
    await expect(visit.page.locator(".candidate")).to_have_count(0)
    await press("Tab")
    await expect(visit.field).not_to_be_focused()


@pytest.mark.parametrize("theme", ["dark", "light"])
async def test_nothing_is_wider_than_a_narrow_window_and_everything_can_be_touched(
    server: Server, visitors: Visitors, theme: str
) -> None:
    visit = await visitors.open(server, "a" * 24, size=(375, 740), theme=theme, has_touch=True)
    await visit.say("m" * 600)
    await visit.say("```\n" + "x" * 300 + "\n```")
    await visit.say("https://example.org/" + "y" * 300)
    await expect(visit.said("a" * 24, "yyy")).to_have_count(1)
    assert await visit.overflow_px() == 0
    await visit.page.locator(".drawer-switch").click()
    await expect(visit.page.locator(".nicks")).to_be_visible()
    assert await visit.overflow_px() == 0
    small = await visit.page.evaluate(
        """[...document.querySelectorAll("button, input, textarea")]
             .map((each) => [each.outerHTML.slice(0, 80), each.getBoundingClientRect()])
             .filter(([, box]) => box.width && (box.width < 44 || box.height < 44))
             .map(([html]) => html)"""
    )
    assert small == []
    await visit.page.keyboard.press("Escape")
    await expect(visit.page.locator(".nicks")).to_be_hidden()
    await expect(visit.page.locator(".drawer-switch")).to_be_focused()


@pytest.mark.parametrize("width", [320, 375, 768, 1024, 1440, 1920])
async def test_no_window_scrolls_sideways(server: Server, visitors: Visitors, width: int) -> None:
    visit = await visitors.open(server, "ada", size=(width, 800))
    await visit.say("/help")
    await visit.shows("=== Commandes disponibles ===")
    assert await visit.overflow_px() == 0


async def test_hostile_words_stay_words(server: Server, visitors: Visitors) -> None:
    visit = await visitors.open(server, "ada")
    fired: list[str] = []
    visit.page.on("dialog", lambda dialog: fired.append(dialog.message))
    hostile = "<img src=x onerror=alert(1)><svg onload=alert(2)> [x](javascript:alert(3)) \"'><script>alert(4)</script>"
    await visit.say(f"@Batty dangereux {hostile}")
    await expect(visit.said("ada", "<img src=x onerror=alert(1)>")).to_have_count(1)
    await expect(visit.said("Batty", "<img src=x onerror=alert(1)>")).to_have_count(1)
    made = await visit.page.evaluate(
        """({
          elements: document.querySelectorAll(".lines :is(img, svg, script, iframe, style)").length,
          links: [...document.querySelectorAll(".lines a")].map((a) => [a.protocol, a.rel]),
          handlers: [...document.querySelectorAll(".lines *")]
            .flatMap((each) => each.getAttributeNames()).filter((name) => name.startsWith("on")),
        })"""
    )
    links = made.pop("links")
    assert made == {"elements": 0, "handlers": []}
    assert links
    assert all(link == ["https:", "noopener noreferrer"] for link in links)
    assert fired == []
    assert visit.complaints == []


async def test_a_server_that_sends_hostile_names_gets_words_on_the_page(
    server: Server, visitors: Visitors
) -> None:
    evil = "<img/src=x/onerror=alert(1)>"
    style = "red;} body{display:none"
    visit = await visitors.open(
        server,
        frames=[
            {"type": "system", "text": f"***\n***  Ton nick: {evil}\n***"},
            {"type": "persona", "nick": evil, "color": style},
            {"type": "userlist", "users": [evil, "'\" onclick=alert(1) x='"]},
            {"type": "channelInfo", "channel": f"#{evil}"},
            {"type": "message", "nick": evil, "text": evil, "color": style},
            {"type": "chunk", "nick": evil, "text": evil, "color": style, "seq": 1},
            {"type": "join", "nick": evil, "channel": f"#{evil}", "text": evil},
            {
                "type": "image",
                "nick": evil,
                "text": evil,
                "imageData": "PHN2Zz4=",
                "imageMime": "image/svg+xml",
            },
        ],
    )
    await visit.shows(evil, ".nick-name")
    await visit.shows("Média d'un genre non accepté.")
    made = await visit.page.evaluate(
        """({
          elements: document.querySelectorAll("img, svg, iframe, style").length,
          handlers: [...document.querySelectorAll("#app *")]
            .flatMap((each) => each.getAttributeNames()).filter((name) => name.startsWith("on")),
          styles: [...document.querySelectorAll("[style]")].map((each) => each.getAttribute("style"))
            .filter((style) => style.includes("red") || style.includes("none")),
        })"""
    )
    assert made == {"elements": 0, "handlers": [], "styles": []}
    assert visit.complaints == []


async def test_a_picture_is_shown_from_its_bytes(server: Server, visitors: Visitors) -> None:
    image = {"type": "image", "nick": "Ada", "text": "[Image generee]", "imageMime": "image/png"}
    visit = await visitors.open(server, frames=[image | {"imageData": PIXEL}])
    picture = visit.page.get_by_role("img", name="[Image generee]")
    await expect(picture).to_be_visible()
    assert await picture.evaluate("(image) => image.naturalWidth") == 1
    assert visit.complaints == []


async def test_a_refused_nick_is_told(server: Server, visitors: Visitors) -> None:
    visit = await visitors.open(server, "Batty")
    await visit.shows("Le pseudo « Batty » est pris ou n'est pas valide")


async def test_messages_that_come_while_one_looks_elsewhere_are_marked(
    server: Server, visitors: Visitors
) -> None:
    visit = await visitors.open(server, "ada")
    await visit.page.evaluate("dispatchEvent(new Event('blur'))")
    await visit.page.evaluate("document.hasFocus = () => false; dispatchEvent(new Event('blur'))")
    async with plain_client(server, "zoe") as zoe:
        await zoe.send(json.dumps({"type": "message", "text": "@Eno coucou"}))
        await expect(visit.said("zoe", "coucou")).to_have_count(1)
    await visit.shows("nouveaux messages", ".divider")
    assert (await visit.page.title()).startswith("(")
    await visit.page.evaluate("document.hasFocus = () => true; dispatchEvent(new Event('focus'))")
    assert await visit.page.title() == "#general — Palabre"


async def test_a_reader_who_scrolled_up_stays_there(server: Server, visitors: Visitors) -> None:
    visit = await visitors.open(server, "ada", size=(900, 500))
    log = visit.page.locator(".log")
    for _ in range(2):
        await visit.say("/help")
    await until(lambda: _is_at_bottom(log), lambda: "the log does not follow")
    await log.hover()
    await visit.page.mouse.wheel(0, -400)
    await expect(visit.page.locator(".newest")).to_be_visible()
    before = await log.evaluate("(log) => log.scrollTop")
    await visit.say("/models")
    await expect(visit.page.locator(".newest-count")).to_be_visible()
    assert await log.evaluate("(log) => log.scrollTop") == before
    await visit.page.locator(".newest").click()
    await expect(visit.page.locator(".newest")).to_have_count(0)
    await until(lambda: _is_at_bottom(log), lambda: "the newest line is not shown")


async def _is_at_bottom(log) -> bool:
    return await log.evaluate("(log) => log.scrollHeight - log.scrollTop - log.clientHeight < 3")


async def test_language_and_theme_are_switched_and_remembered(
    server: Server, visitors: Visitors
) -> None:
    visit = await visitors.open(server, "ada")
    page = visit.page
    paper = "getComputedStyle(document.body).backgroundColor"
    assert await page.evaluate(paper) == "rgb(11, 16, 13)"
    await page.get_by_label("passer au thème clair").click()
    await page.get_by_label("switch to English").click()
    await visit.shows("Your nick: ada")
    await page.reload()
    await visit.is_connected()
    assert await page.evaluate(paper) == "rgb(245, 240, 227)"
    await expect(page.locator(".tagline")).to_have_text("the room that answers back")
    assert await page.evaluate("document.documentElement.lang") == "en"


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


async def test_an_english_browser_reads_english(server: Server, visitors: Visitors) -> None:
    visit = await visitors.open(server, "ada", locale="en-GB")
    await visit.shows("Your nick: ada")
    await expect(visit.page.locator(".status")).to_contain_text("connected")


async def test_clear_empties_the_log_for_everybody(server: Server, visitors: Visitors) -> None:
    ada = await visitors.open(server, "ada")
    lea = await visitors.open(server, "lea")
    await ada.say("@Eno à effacer")
    await expect(lea.said("ada", "à effacer")).to_have_count(1)
    await ada.say("/clear")
    await expect(lea.said("ada", "à effacer")).to_have_count(0)
    await expect(lea.page.locator(".welcome")).to_be_visible()


async def test_a_text_beyond_the_limit_is_kept_and_not_sent(
    server: Server, visitors: Visitors
) -> None:
    visit = await visitors.open(server, "ada")
    await visit.field.fill("a" * 8000)
    await expect(visit.page.locator(".note")).to_have_text("192 signes restants")
    await visit.field.fill("a" * 8200)
    await expect(visit.page.locator(".note")).to_have_text("8 signes de trop")
    await visit.field.press("Enter")
    await expect(visit.field).to_have_value("a" * 8200)
    assert not any("aaaa" in frame for frame in visit.frames)


async def test_a_nick_in_the_list_is_mentioned_by_a_click(
    server: Server, visitors: Visitors
) -> None:
    visit = await visitors.open(server, "ada")
    await visit.field.fill("Et toi")
    await visit.page.get_by_role("button", name="Interpeller Radigue").click()
    await expect(visit.field).to_have_value("Et toi @Radigue ")
    await expect(visit.field).to_be_focused()


async def test_a_talk_as_the_documentation_shows_it(
    model: str, tmp_path: Path, visitors: Visitors
) -> None:
    """With DOCS_SCREENSHOTS=1 the picture goes into docs/images."""
    async with Server(tmp_path, model).running() as server:
        visit = await visitors.open(server, "Ada", size=(1440, 900), at="2026-03-20T20:12:00")
        async with plain_client(server, "Lea") as lea:
            await _talk(visit, lea)
            path = _picture(tmp_path)
            await visit.page.screenshot(path=path)
    assert path.stat().st_size > 40_000


async def _talk(visit: Visit, lea: ClientConnection) -> None:
    clock = visit.page.clock.set_fixed_time
    await clock("2026-03-20T20:13:00")
    await visit.say("Bonjour @Schaeffer, que penses-tu de Xenakis ?")
    await expect(visit.said("Schaeffer", "les grains.")).to_have_count(1)
    await clock("2026-03-20T20:14:00")
    await _ask(lea, "@Turing, tu en ferais quelle machine ?")
    await expect(visit.said("Turing", "ce qu'il en entend.")).to_have_count(1)
    await expect(visit.said("Schaeffer", "de l'eau.")).to_have_count(1)
    await clock("2026-03-20T20:16:00")
    await visit.say("Et @Radigue, plus lentement ?")
    await expect(visit.said("Radigue", "qui as bougé.")).to_have_count(1)
    await clock("2026-03-20T20:17:00")
    await _ask(lea, "Et la pluie, @Batty, tu t'en souviens ?")
    await expect(visit.page.locator(".growing")).to_contain_text("Elle efface")
    await visit.field.fill("@Radigue, et toi ?")


async def _ask(peer: ClientConnection, text: str) -> None:
    await peer.send(json.dumps({"type": "message", "text": text}))


def _picture(tmp_path: Path) -> Path:
    if not os.environ.get("DOCS_SCREENSHOTS"):
        return tmp_path / "rooms.png"
    folder = Path(__file__).parents[2] / "docs" / "images"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / "rooms-dark-1440.png"
