"""Logging in and out in a real browser: the control room, and rooms that want a session."""

import json
from collections.abc import AsyncIterator
from itertools import count

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect
from tests.e2e.web.browser import CHROMIUM, Visit, Visitors, beside
from tests.e2e.web.desk import COOKIE, TOKEN, call, go, open_desk
from tests.support.lasting_server import Server

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium"),
    pytest.mark.asyncio(loop_scope="module"),
]

VISITORS = count(1)
PASSWORD = "un mot de passe assez long"  # noqa: S105  (of a server that lives as long as its test)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def house(model: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Server]:
    """A server that believes where a visitor says to come from: each address has five logins."""
    home = tmp_path_factory.mktemp("house")
    variables = {
        "PALABRE_AUTH__ADMIN_TOKEN": TOKEN,
        "PALABRE_AUTH__ROOMS": "session",
        "PALABRE_SERVER__TRUSTED_PROXIES": "127.0.0.1/32",
    }
    async with beside(Server(home, model, variables).running()) as running:
        chief = session_of(running, {"username": "chef", "role": "admin", "token": TOKEN})
        user = {"username": "nora", "password": PASSWORD, "role": "admin"}
        call(running, "POST", "api/admin/users", user, chief)
        yield running


def from_elsewhere() -> dict[str, str]:
    """Headers of somebody who has not been here before."""
    return {"X-Forwarded-For": f"10.0.0.{next(VISITORS)}"}


def session_of(server: Server, login: dict[str, str]) -> str:
    """Log in beside all pages."""
    return call(server, "POST", "api/session/login", login, others=from_elsewhere())["id"]


async def log_in(page: Page, username: str | None = "nora", password: str = PASSWORD) -> None:
    if username is not None:
        await page.get_by_label("Nom", exact=True).fill(username)
    await page.get_by_label("Mot de passe").fill(password)
    await page.get_by_role("button", name="Entrer").click()


def faults(visit: Visit) -> list[str]:
    """What the page complains of, but for the refusals that a login is about."""
    return [each for each in visit.complaints if "401" not in each]


async def test_a_wrong_password_is_told_a_right_one_opens_and_logging_out_closes(
    house: Server, visitors: Visitors
) -> None:
    visit = await open_desk(visitors, house, extra_http_headers=from_elsewhere())
    page = visit.page
    await expect(page.get_by_label("Nom", exact=True)).to_be_focused()
    await log_in(page, password="un mauvais mot de passe")  # noqa: S106
    await expect(page.get_by_role("alert")).to_contain_text("ne vont pas ensemble")
    await expect(page.get_by_label("Nom", exact=True)).to_have_value("nora")
    await log_in(page, None)
    await expect(page.locator("nav.menu")).to_be_visible()
    await expect(page.locator(".whoami")).to_contain_text("nora")
    await expect(page.locator(".whoami")).to_contain_text("administration")
    await page.get_by_role("button", name="sortir").click()
    await expect(page.locator("#login-title")).to_be_visible()
    await page.reload()
    await expect(page.locator("#login-title")).to_be_visible()
    await expect(page.locator("nav.menu")).to_have_count(0)
    assert faults(visit) == []


async def test_the_token_gives_the_role_that_is_asked_for(
    house: Server, visitors: Visitors
) -> None:
    visit = await open_desk(visitors, house, size=(375, 812), extra_http_headers=from_elsewhere())
    page = visit.page
    await page.get_by_label("Nom", exact=True).fill("zoe")
    await page.get_by_text("J'ai le jeton de la maison").click()
    await page.get_by_label("Jeton").fill(TOKEN)
    await page.get_by_label("Rôle").select_option("editor")
    await page.get_by_role("button", name="Entrer").click()
    await go(visit, house, "personas")
    await expect(page.locator("#new-persona")).to_be_visible()
    await expect(page.locator("nav.menu")).not_to_contain_text("Comptes")


async def test_a_session_that_is_ended_elsewhere_loses_nothing_that_was_typed(
    house: Server, visitors: Visitors
) -> None:
    login = {"username": "nora", "password": PASSWORD}
    mine, other = (session_of(house, login) for _ in range(2))
    visit = await open_desk(
        visitors, house, mine, "personas/pina", extra_http_headers=from_elsewhere()
    )
    page = visit.page
    form = page.locator("form.form").first
    await form.get_by_label("Résumé").fill("Un brouillon que personne ne doit perdre.")
    for each in call(house, "GET", "api/admin/sessions", None, other):
        if each["username"] == "nora" and not each["isYours"]:
            call(house, "DELETE", f"api/admin/sessions/{each['fingerprint']}", None, other)
    await form.get_by_role("button", name="Enregistrer").click()
    dialog = page.get_by_role("dialog")
    await expect(dialog).to_contain_text("Ce que tu as tapé t'attend derrière.")
    await expect(dialog.get_by_label("Nom", exact=True)).to_have_value("nora")
    await page.keyboard.press("Escape")
    await log_in(page, None)
    await expect(dialog).to_have_count(0)
    await expect(form.get_by_label("Résumé")).to_have_value(
        "Un brouillon que personne ne doit perdre."
    )
    await form.get_by_role("button", name="Enregistrer").click()
    await expect(page.locator(".notice-bar")).to_contain_text("Enregistré.")


async def test_the_end_of_a_session_is_told_before_it_comes(
    house: Server, visitors: Visitors
) -> None:
    login = {"username": "nora", "password": PASSWORD}
    mine = session_of(house, login)
    visit = await open_desk(visitors, house, mine, "users")
    page = visit.page
    await page.clock.install()
    await page.reload()
    await expect(page.locator("#page-title")).to_be_visible()
    await expect(page.locator(".expiry")).to_have_count(0)
    await page.clock.fast_forward("56:00")
    await expect(page.locator(".expiry")).to_contain_text("Ta session finit à")
    await page.clock.fast_forward("05:00")
    await expect(page.get_by_role("dialog")).to_contain_text("Ta session est finie.")


async def test_rooms_that_want_a_session_ask_for_it_and_keep_what_was_typed(
    house: Server, visitors: Visitors
) -> None:
    visit = await _chat(visitors, house)
    page = visit.page
    dialog = page.get_by_role("dialog")
    await expect(dialog).to_contain_text("Ici, on parle sous son nom")
    await log_in(page)
    await visit.is_connected()
    await visit.shows("Ton nick: nora")
    await expect(page.locator(".nick-form")).to_have_count(0)
    await expect(page.locator("button.prompt")).to_be_disabled()
    await visit.say("me voici")
    await expect(visit.said("nora", "me voici")).to_have_count(1)
    await visit.field.fill("un brouillon")
    await page.get_by_role("button", name="sortir de la session de nora").click()
    await expect(dialog).to_contain_text("Ici, on parle sous son nom")
    await log_in(page)
    await visit.is_connected()
    await expect(visit.field).to_have_value("un brouillon")
    assert faults(visit) == []


async def test_who_is_put_out_while_talking_is_told_that_the_session_has_ended(
    house: Server, visitors: Visitors
) -> None:
    chief = session_of(house, {"username": "chef", "role": "admin", "token": TOKEN})
    user = {"username": "ines", "password": PASSWORD, "role": "operator"}
    call(house, "POST", "api/admin/users", user, chief)
    visit = await _chat(visitors, house)
    await log_in(visit.page, "ines")
    await visit.is_connected()
    call(house, "DELETE", "api/admin/users/ines", None, chief)
    dialog = visit.page.get_by_role("dialog")
    await expect(dialog).to_contain_text("Ta session est finie : son heure est passée, ou")


async def test_who_has_the_name_of_a_persona_is_told_what_to_do(
    house: Server, visitors: Visitors
) -> None:
    login = {"username": "batty", "role": "viewer", "token": TOKEN}
    mine = session_of(house, login)
    visit = await _chat(visitors, house, mine)
    dialog = visit.page.get_by_role("dialog")
    await expect(dialog).to_contain_text("Ce nom ne peut pas servir maintenant")
    await expect(dialog.get_by_role("button", name="Se reconnecter")).to_be_visible()
    await log_in(visit.page)
    await visit.is_connected()
    await visit.shows("Ton nick: nora")


async def test_the_browser_keeps_neither_password_nor_session_where_scripts_read(
    house: Server, visitors: Visitors
) -> None:
    visit = await _chat(visitors, house)
    await log_in(visit.page)
    await visit.is_connected()
    kept = await visit.page.evaluate("JSON.stringify({...localStorage, ...sessionStorage})")
    assert PASSWORD not in kept
    assert all(len(str(each)) < 64 for each in json.loads(kept).values())


async def _chat(visitors: Visitors, server: Server, session_id: str = "") -> Visit:
    """Open the rooms' page, which is not let in."""
    context = await visitors.browser.new_context(
        locale="fr-FR", reduced_motion="reduce", extra_http_headers=from_elsewhere()
    )
    if session_id:
        await context.add_cookies([{"name": COOKIE, "value": session_id, "url": server.url}])
    visit = Visit(await context.new_page(), f"127.0.0.1:{server.port}")
    visit.watch()
    visitors.visits.append(visit)
    await visit.page.goto(server.url)
    await expect(visit.page.locator("#login-title")).to_be_visible()
    return visit
