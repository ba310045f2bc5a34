"""The control room in a real browser, on a real server."""

import json

import pytest
from playwright.async_api import Dialog, Page, Route, expect
from tests.e2e.web.browser import CHROMIUM, Visit, Visitors
from tests.e2e.web.desk import (
    OVERFLOW,
    SMALL,
    UNNAMED,
    WRONG_STRUCTURE,
    Sessions,
    body_json,
    go,
    open_desk,
    settled,
)
from tests.support.lasting_server import Server

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium"),
    pytest.mark.asyncio(loop_scope="module"),
]

PAGES = ("overview", "personas", "history", "media", "analytics", "errors", "audit", "users")
HOSTILE = "<img src=x onerror=alert(1)>\"'&lt;script>"


@pytest.mark.parametrize("size", [(1440, 900), (375, 812)], ids=["1440", "375"])
async def test_every_page_fits_speaks_to_readers_and_asks_no_other_host(
    house: Server, visitors: Visitors, sessions: Sessions, size: tuple[int, int]
) -> None:
    visit = await open_desk(visitors, house, sessions.of("admin"), size=size)
    for page in (*PAGES, "personas/batty"):
        await go(visit, house, page)
        await settled(visit)
        for check in (OVERFLOW, SMALL, UNNAMED, WRONG_STRUCTURE):
            assert await visit.page.evaluate(check) == [], page
        await expect(visit.page.locator("h1")).to_have_count(1)
        await expect(visit.page.locator(".trouble")).to_have_count(0)
    assert visit.complaints == []
    assert visit.strangers == []


async def test_the_pages_speak_both_languages_and_wear_both_papers(
    house: Server, visitors: Visitors, sessions: Sessions
) -> None:
    visit = await open_desk(visitors, house, sessions.of("admin"), "users", theme="light")
    page = visit.page
    await expect(page.locator("#page-title")).to_have_text("Comptes")
    await page.get_by_role("button", name="EN: switch to English").click()
    await expect(page.locator("#page-title")).to_have_text("Users")
    await expect(page).to_have_title("Users — Palabre control room")
    paper = "getComputedStyle(document.body).backgroundColor"
    light = await page.evaluate(paper)
    await page.get_by_role("button", name="phosphor").click()
    assert await page.evaluate(paper) != light
    await page.reload()
    await expect(page.locator("#page-title")).to_have_text("Users")
    assert await page.evaluate(paper) != light


@pytest.mark.parametrize(
    ("role", "pages", "may_write"),
    [
        ("viewer", PAGES[:6], False),
        ("operator", PAGES[:6], False),
        ("editor", PAGES[:6], True),
        ("admin", PAGES, True),
    ],
)
async def test_what_a_role_may_not_do_is_not_offered(
    house: Server,
    visitors: Visitors,
    sessions: Sessions,
    role: str,
    pages: tuple[str, ...],
    may_write: bool,
) -> None:
    visit = await open_desk(visitors, house, sessions.of(role), "personas")
    page = visit.page
    await expect(page.locator(".cast-row").first).to_be_visible()
    found = await page.locator("nav.menu a").evaluate_all(
        "(links) => links.map((link) => link.hash.slice(1))"
    )
    assert tuple(found) == pages
    assert await page.get_by_role("switch").count() == (34 if may_write else 0)
    await expect(page.locator("#new-persona")).to_have_count(int(may_write))
    await go(visit, house, "personas/batty")
    await expect(page.get_by_label("Résumé", exact=False).first).to_be_visible()
    await expect(page.get_by_role("button", name="Enregistrer")).to_have_count(2 * int(may_write))
    await expect(page.get_by_role("button", name="Rédiger")).to_have_count(int(may_write))
    await go(visit, house, "history")
    may_sweep = role in {"operator", "admin"}
    await expect(page.locator("#exports")).to_be_visible()
    await expect(page.locator("#sweep")).to_have_count(int(may_sweep))
    if role != "admin":
        await page.goto(f"{house.url}admin#users")
        await expect(page.locator(".empty")).to_contain_text("Ton rôle ne permet pas cela.")
    assert visit.complaints == []


async def test_long_days_come_in_pages(
    house: Server, visitors: Visitors, sessions: Sessions
) -> None:
    visit = await open_desk(visitors, house, sessions.of("viewer"), "history")

    async def serve(route: Route) -> None:
        offset = int(route.request.url.partition("offset=")[2] or 0)
        rows = [
            {"type": "message", "nick": "ada", "text": f"n{offset + each}"} for each in range(100)
        ]
        await body_json(route, {"messages": rows, "total": 250, "limit": 100, "offset": offset})

    await visit.page.route("**/api/v2/chat/history/2026-03-20?*", serve)
    await go(visit, house, "history/2026-03-20")
    await expect(visit.page.locator(".pager")).to_contain_text("1 à 100 sur 250")
    await visit.page.get_by_role("link", name="Après").click()
    await expect(visit.page.locator(".said-words").first).to_have_text("n100")
    await visit.page.get_by_role("link", name="Avant").click()
    await expect(visit.page.locator(".said-words").first).to_have_text("n0")


async def test_measures_are_drawn_and_told_in_a_table(
    house: Server, visitors: Visitors, sessions: Sessions
) -> None:
    visit = await open_desk(visitors, house, sessions.of("viewer"), "overview")
    days = [{"date": f"2026-03-{day:02}", "count": day * 3} for day in range(30, 0, -1)]
    found = {
        "totalMessages": 1395,
        "totalDays": 30,
        "personaMessages": {"Batty": 12},
        "userMessages": 700,
        "systemMessages": 3,
        "uploadsCount": 2,
        "messagesPerDay": days,
        "topPersonas": [{"nick": "Batty", "count": 12}, {"nick": HOSTILE, "count": 3}],
    }
    await visit.page.route("**/api/v2/analytics", lambda route: body_json(route, found))
    await go(visit, house, "analytics")
    await expect(visit.page.locator(".chart canvas")).to_be_visible()
    await visit.page.get_by_text("En tableau").click()
    await expect(
        visit.page.get_by_role("table", name="Messages par jour").locator("tbody tr")
    ).to_have_count(30)
    await expect(
        visit.page.get_by_role("table", name="Personas les plus bavardes")
    ).to_contain_text(HOSTILE)
    assert visit.complaints == []


async def _hostile(page: Page) -> None:
    """Fill every list with words that would do harm in a page that believes them."""
    now = "2026-03-20T20:12:00Z"
    persona = {"id": "x", "name": HOSTILE, "model": HOSTILE, "summary": HOSTILE, "prompt": HOSTILE}
    wording = {"name": HOSTILE, "model": HOSTILE, "summary": HOSTILE}
    vote = json.dumps({"type": "vote", "vote": "up", "response": HOSTILE, "prompt": HOSTILE})
    entry = {"number": 1, "at": now, "actor": HOSTILE, "role": HOSTILE, "address": HOSTILE}
    error = {"timestamp": HOSTILE, "label": HOSTILE, "message": HOSTILE, "stack": HOSTILE}
    proposal = {"id": "p", "reason": HOSTILE, "before": wording, "applied": False, "createdAt": now}
    answers = {
        "api/personas": [persona],
        "api/personas/x": persona,
        "api/admin/personas/x/source": {"subjectName": HOSTILE, "summary": HOSTILE, "references": [HOSTILE]},
        "api/admin/personas/x/feedback": [
            {"id": "1", "kind": "vote", "message": vote, "createdAt": now},
            {"id": "2", "kind": HOSTILE, "message": HOSTILE, "createdAt": HOSTILE},
        ],
        "api/admin/personas/x/proposals": [proposal | {"after": wording | {"summary": f"neuf {HOSTILE}"}}],
        "api/admin/personas/x/voice-sample": {"hasVoiceSample": False},
        "api/v2/chat/history": {"files": [{"date": HOSTILE, "lines": 1, "size": 1}]},
        "api/v2/errors": {"recent": [error | {"context": {HOSTILE: HOSTILE}}], "counts": {HOSTILE: 1}},
        "api/v2/admin/audit": {
            "entries": [entry | {"action": HOSTILE, "target": HOSTILE, "before": {HOSTILE: HOSTILE}, "after": HOSTILE}],
            "next": None,
        },
        "api/admin/users": [{"username": HOSTILE, "role": "viewer", "createdAt": HOSTILE}],
        "api/admin/sessions": [{"fingerprint": "f", "username": HOSTILE, "role": "viewer", "expiresAt": HOSTILE}],
        "api/v2/media/images": [{"id": "i", "filename": "x.png", "prompt": HOSTILE, "nick": HOSTILE, "createdAt": now}],
    }  # fmt: skip

    async def serve(route: Route) -> None:
        path = route.request.url.partition("://")[2].partition("/")[2].partition("?")[0]
        if path in answers:
            await body_json(route, answers[path])
        else:
            await route.continue_()

    await page.route("**/api/**", serve)


async def test_hostile_words_stay_words_in_every_list(
    house: Server, visitors: Visitors, sessions: Sessions
) -> None:
    visit = await open_desk(visitors, house, sessions.of("admin"), "overview", size=(375, 812))
    alarms: list[str] = []

    async def alarm(dialog: Dialog) -> None:
        alarms.append(dialog.message)
        await dialog.dismiss()

    visit.page.on("dialog", alarm)
    await _hostile(visit.page)
    for page in (*PAGES[:4], "errors", "audit", "users", "personas/x"):
        await go(visit, house, page)
        await settled(visit)
        await expect(visit.page.locator("main")).to_contain_text("onerror=alert(1)")
        await _open_all(visit)
        assert await visit.page.locator("main img[src=x], main script").count() == 0, page
        assert await visit.page.evaluate(OVERFLOW) == [], page
    assert alarms == []


async def _open_all(visit: Visit) -> None:
    await visit.page.evaluate(
        "document.querySelectorAll('details').forEach((each) => (each.open = true))"
    )


async def test_a_route_that_is_not_there_is_said_plainly(
    house: Server, visitors: Visitors, sessions: Sessions
) -> None:
    visit = await open_desk(visitors, house, sessions.of("admin"), "overview")
    missing = {"ok": False, "error": "not_found"}
    await visit.page.route("**/api/v2/analytics", lambda route: body_json(route, missing, 404))
    await go(visit, house, "analytics")
    trouble = visit.page.locator(".trouble")
    await expect(trouble).to_contain_text("Ce serveur ne sait pas encore faire cela.")
    await visit.page.unroute("**/api/v2/analytics")
    await trouble.get_by_role("button", name="Réessayer").click()
    await expect(visit.page.locator(".totals")).to_be_visible()


async def test_the_keyboard_skips_to_the_page_and_walks_in_reading_order(
    house: Server, visitors: Visitors, sessions: Sessions
) -> None:
    visit = await open_desk(visitors, house, sessions.of("admin"), "users")
    page = visit.page
    await settled(visit)
    await page.keyboard.press("Tab")
    await expect(page.get_by_role("link", name="Aller au contenu")).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(page.locator("main")).to_be_focused()
    tops: list[float] = []
    form = page.locator("section", has=page.locator("#new-user")).last
    await form.get_by_label("Nom").focus()
    for _ in range(3):
        tops.append(await page.evaluate("document.activeElement.getBoundingClientRect().top"))
        await page.keyboard.press("Tab")
    assert tops == sorted(tops)
    await expect(form.get_by_role("button", name="Créer le compte")).to_be_focused()
