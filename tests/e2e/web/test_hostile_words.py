"""Words that would like to be more than words."""

import pytest
from playwright.async_api import expect
from tests.e2e.web.browser import CHROMIUM, Visitors
from tests.support.lasting_server import Server

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium"),
    pytest.mark.asyncio(loop_scope="module"),
]

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABpfZFQAAAAABJRU5ErkJggg=="


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
          elements: document.querySelectorAll("img, svg:not(.icon), iframe, style").length,
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
    assert await picture.evaluate("(image) => image.decode().then(() => image.naturalWidth)") == 1
    assert visit.complaints == []
