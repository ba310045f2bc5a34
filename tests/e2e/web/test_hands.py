"""The page under hands: keyboard, touch, widths, reading, language and theme."""

import json
import re

import pytest
from playwright.async_api import expect
from tests.e2e.web.browser import CHROMIUM, Visitors, until
from tests.e2e.web.plain import plain_client
from tests.support.lasting_server import Server

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium"),
    pytest.mark.asyncio(loop_scope="module"),
]


AT_REST = """async (log) => {
  for (let before = -1; before !== log.scrollTop; ) {
    before = log.scrollTop;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return log.scrollTop;
}"""
"""Where the log is once the wheel's turn has come to its end."""


async def test_everything_can_be_done_with_the_keyboard(server: Server, visitors: Visitors) -> None:
    visit = await visitors.open(server)
    page = visit.page
    press = page.keyboard.press
    await expect(visit.field).to_be_focused()
    for _ in range(4):
        await press("Shift+Tab")
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
    await expect(page.locator(".candidate").first).to_be_visible()
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
    await expect(visit.page.locator(".candidate").first).to_be_visible()
    await press("Tab")
    await expect(visit.field).not_to_have_value("/m")
    first = await visit.field.input_value()
    await press("Tab")
    await expect(visit.field).not_to_have_value(first)
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


async def test_a_wrapped_row_of_help_stays_in_its_column(
    server: Server, visitors: Visitors
) -> None:
    visit = await visitors.open(server, "ada", size=(800, 800))
    await visit.say("/help")
    await visit.shows("=== Commandes disponibles ===")
    lefts = await visit.page.locator(".row", has_text="/memory <persona>").evaluate(
        """(row) => {
             const range = document.createRange();
             range.selectNodeContents(row);
             return [...range.getClientRects()].map((box) => box.left);
           }"""
    )
    assert len(lefts) > 1
    assert min(lefts[1:]) > lefts[0] + 200


async def test_what_is_sent_while_an_answer_grows_is_seen_to_wait(
    server: Server, visitors: Visitors
) -> None:
    visit = await visitors.open(server, "ada")
    await visit.say("@Batty, parle longtemps")
    await expect(visit.page.locator(".growing .said")).to_contain_text("Une phrase")
    await visit.say("et ensuite ?")
    await visit.say("/who")
    waiting = visit.page.locator(".pending")
    await expect(waiting).to_have_count(2)
    await expect(waiting.first).to_contain_text("et ensuite ?")
    await expect(waiting.first).to_contain_text("en attente")
    await visit.page.locator(".stop").click()
    await expect(visit.said("ada", "et ensuite ?")).to_have_count(1)
    await visit.say("/stop")
    await visit.shows("personas : ")
    await expect(waiting).to_have_count(0)


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
    await expect(visit.page).to_have_title(re.compile(r"^\("))
    await visit.page.evaluate("document.hasFocus = () => true; dispatchEvent(new Event('focus'))")
    await expect(visit.page).to_have_title("#general — Palabre")


async def test_a_reader_who_scrolled_up_stays_there(server: Server, visitors: Visitors) -> None:
    visit = await visitors.open(server, "ada", size=(900, 500))
    log = visit.page.locator(".log")
    for _ in range(2):
        await visit.say("/help")
    await until(lambda: _is_at_bottom(log), lambda: "the log does not follow")
    await log.hover()
    await visit.page.mouse.wheel(0, -400)
    await expect(visit.page.locator(".newest")).to_be_visible()
    before = await log.evaluate(AT_REST)
    await visit.say("/models")
    await expect(visit.page.locator(".newest-count")).to_be_visible()
    assert await log.evaluate(AT_REST) == before
    await visit.page.locator(".newest").click()
    await expect(visit.page.locator(".newest")).to_have_count(0)
    await until(lambda: _is_at_bottom(log), lambda: "the newest line is not shown")


async def test_language_and_theme_are_switched_and_remembered(
    server: Server, visitors: Visitors
) -> None:
    visit = await visitors.open(server, "ada")
    page = visit.page
    paper = "getComputedStyle(document.body).backgroundColor"
    assert await page.evaluate(paper) == "rgb(11, 16, 13)"
    await page.get_by_label("passer au thème clair").click()
    await page.get_by_label("switch to English").click()
    await visit.shows("Welcome back, ada.")
    await page.reload()
    await visit.is_connected()
    assert await page.evaluate(paper) == "rgb(245, 240, 227)"
    await expect(page.locator(".tagline")).to_have_text("the room that answers back")
    assert await page.evaluate("document.documentElement.lang") == "en"


async def test_an_english_browser_reads_english(server: Server, visitors: Visitors) -> None:
    visit = await visitors.open(server, "ada", locale="en-GB")
    await visit.shows("Your nick: ada")
    await expect(visit.page.locator(".status")).to_contain_text("connected")


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


async def _is_at_bottom(log) -> bool:
    return await log.evaluate("(log) => log.scrollHeight - log.scrollTop - log.clientHeight < 3")
