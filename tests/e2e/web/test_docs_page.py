"""The page that shows the routes, in a real browser."""

import pytest
from playwright.async_api import expect
from tests.e2e.web.browser import CHROMIUM, Visit, Visitors
from tests.support.lasting_server import Server

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium"),
    pytest.mark.asyncio(loop_scope="module"),
]


async def opened(visitors: Visitors, server: Server, width_px: int, locale: str) -> Visit:
    context = await visitors.browser.new_context(
        viewport={"width": width_px, "height": 900}, locale=locale
    )
    visit = Visit(await context.new_page(), f"127.0.0.1:{server.port}")
    visit.watch()
    visitors.visits.append(visit)
    await visit.page.goto(f"http://{visit.host}/docs")
    return visit


@pytest.mark.parametrize("width_px", [375, 1440])
async def test_every_route_can_be_found_and_read_at_any_width(
    server: Server, visitors: Visitors, width_px: int
) -> None:
    visit = await opened(visitors, server, width_px, "fr-FR")
    page = visit.page
    await page.get_by_label("Chercher").fill("session/login")
    await expect(page.locator("details")).to_have_count(1)
    await page.locator("summary").click()
    shown = page.locator(".body")
    await expect(shown).to_contain_text("Ouverte à tous.")
    await expect(shown).to_contain_text("username")
    await expect(shown).not_to_contain_text("`")
    await page.get_by_label("Chercher").fill("")
    await page.evaluate("document.querySelectorAll('details').forEach((each) => each.open = true)")
    assert await page.locator("details").count() > 50
    assert await visit.overflow_px() <= 0
    assert visit.complaints == []
    assert visit.strangers == []


async def test_it_speaks_english_to_who_reads_english(server: Server, visitors: Visitors) -> None:
    visit = await opened(visitors, server, 1440, "en-GB")
    await visit.page.get_by_label("Find").fill("no such route")
    await expect(visit.page.get_by_role("main")).to_have_text("No route matches.")
    assert await visit.page.get_attribute("html", "lang") == "en"
