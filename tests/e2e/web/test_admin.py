"""The control room in a real browser, on a real server."""

import json
import wave
from collections.abc import AsyncIterator
from io import BytesIO
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Dialog, Page, Route, expect
from tests.e2e.web.browser import CHROMIUM, Visit, Visitors, beside
from tests.e2e.web.desk import (
    OVERFLOW,
    SMALL,
    TOKEN,
    UNNAMED,
    WRONG_STRUCTURE,
    Sessions,
    body_json,
    go,
    open_desk,
    settled,
)
from tests.e2e.web.plain import plain_client
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
when = "nouvelle description"
text = '{"summary": "Tu écoutes longtemps, tu réponds en deux phrases, et tu poses une question."}'

[[answer]]
text = "D'accord."
"""
PAGES = ("overview", "personas", "history", "media", "analytics", "errors", "audit", "users")
HOSTILE = "<img src=x onerror=alert(1)>\"'&lt;script>"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Server]:
    home = tmp_path_factory.mktemp("house")
    script = home / "script.toml"
    script.write_text(SCRIPT, encoding="utf-8")
    async with beside(simulated_model(script)) as model:
        house = Server(home, model, {"PALABRE_AUTH__ADMIN_TOKEN": TOKEN})
        async with beside(house.running()) as running:
            yield running


@pytest.fixture(scope="module")
def sessions(server: Server) -> Sessions:
    return Sessions(server)


@pytest.mark.parametrize("size", [(1440, 900), (375, 812)], ids=["1440", "375"])
async def test_every_page_fits_speaks_to_readers_and_asks_no_other_host(
    server: Server, visitors: Visitors, sessions: Sessions, size: tuple[int, int]
) -> None:
    visit = await open_desk(visitors, server, sessions.of("admin"), size=size)
    for page in (*PAGES, "personas/batty"):
        await go(visit, server, page)
        await settled(visit)
        for check in (OVERFLOW, SMALL, UNNAMED, WRONG_STRUCTURE):
            assert await visit.page.evaluate(check) == [], page
        await expect(visit.page.locator("h1")).to_have_count(1)
        await expect(visit.page.locator(".trouble")).to_have_count(0)
    assert visit.complaints == []
    assert visit.strangers == []


async def test_the_pages_speak_both_languages_and_wear_both_papers(
    server: Server, visitors: Visitors, sessions: Sessions
) -> None:
    visit = await open_desk(visitors, server, sessions.of("admin"), "users", theme="light")
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
    server: Server,
    visitors: Visitors,
    sessions: Sessions,
    role: str,
    pages: tuple[str, ...],
    may_write: bool,
) -> None:
    visit = await open_desk(visitors, server, sessions.of(role), "personas")
    page = visit.page
    await expect(page.locator(".cast-row").first).to_be_visible()
    found = await page.locator("nav.menu a").evaluate_all(
        "(links) => links.map((link) => link.hash.slice(1))"
    )
    assert tuple(found) == pages
    assert await page.get_by_role("switch").count() == (34 if may_write else 0)
    await expect(page.locator("#new-persona")).to_have_count(int(may_write))
    await go(visit, server, "personas/batty")
    await expect(page.get_by_label("Résumé", exact=False).first).to_be_visible()
    await expect(page.get_by_role("button", name="Enregistrer")).to_have_count(2 * int(may_write))
    await expect(page.get_by_role("button", name="Rédiger")).to_have_count(int(may_write))
    await go(visit, server, "history")
    may_sweep = role in {"operator", "admin"}
    await expect(page.locator("#exports")).to_be_visible()
    await expect(page.locator("#sweep")).to_have_count(int(may_sweep))
    if role != "admin":
        await page.goto(f"{server.url}admin#users")
        await expect(page.locator(".empty")).to_contain_text("Ton rôle ne permet pas cela.")
    assert visit.complaints == []


async def test_an_edit_is_visible_in_the_chat_at_once_and_can_be_undone(
    server: Server, visitors: Visitors, sessions: Sessions
) -> None:
    chat = await visitors.open(server, "ada")
    visit = await open_desk(visitors, server, sessions.of("editor"), "personas/oram")
    page = visit.page
    await page.get_by_label("Nom", exact=True).fill("Daphne")
    await page.locator("form.form").first.get_by_role("button", name="Enregistrer").click()
    await expect(page.locator("#page-title")).to_have_text("Daphne")
    present = chat.page.locator(".nick-entry.persona .nick-name")
    await expect(present.filter(has_text="Daphne")).to_have_count(1)
    await expect(present.filter(has_text="Oram")).to_have_count(0)
    await page.get_by_role("button", name="Défaire").click()
    await expect(page.locator("#page-title")).to_have_text("Oram")
    await expect(present.filter(has_text="Oram")).to_have_count(1)
    await page.get_by_role("switch").uncheck()
    await expect(present.filter(has_text="Oram")).to_have_count(0)
    await page.get_by_role("button", name="Défaire").click()
    await expect(present.filter(has_text="Oram")).to_have_count(1)
    assert visit.complaints == []


async def test_a_drafted_proposal_is_shown_word_by_word_applied_and_taken_back(
    server: Server, visitors: Visitors, sessions: Sessions
) -> None:
    sessions.ask(
        "PUT", "api/admin/personas/cage", {"summary": "Tu écoutes longtemps, sans un mot."}
    )
    visit = await open_desk(visitors, server, sessions.of("editor"), "personas/cage")
    page = visit.page
    await page.get_by_role("button", name="Rédiger une proposition").click()
    proposal = page.locator("#proposals ~ .entries .entry-box").first
    await expect(proposal.locator("ins").first).to_contain_text("tu réponds en deux phrases")
    await expect(proposal.locator("del").first).to_contain_text("sans")
    summary = page.locator("form.form").first.get_by_label("Résumé")
    await expect(summary).to_have_value("Tu écoutes longtemps, sans un mot.")
    await proposal.get_by_role("button", name="Appliquer").click()
    await expect(summary).to_have_value(
        "Tu écoutes longtemps, tu réponds en deux phrases, et tu poses une question."
    )
    await page.get_by_role("button", name="Défaire").click()
    await expect(summary).to_have_value("Tu écoutes longtemps, sans un mot.")
    await proposal.get_by_role("button", name="Écarter").click()
    dialog = page.get_by_role("dialog")
    await expect(dialog.get_by_role("button", name="Annuler")).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(proposal).to_be_visible()
    await proposal.get_by_role("button", name="Écarter").click()
    await dialog.get_by_role("button", name="Écarter").click()
    await expect(page.locator("#proposals ~ .empty")).to_have_text("Aucune proposition.")
    assert visit.complaints == []


async def test_a_source_is_kept_with_one_reference_a_line(
    server: Server, visitors: Visitors, sessions: Sessions
) -> None:
    visit = await open_desk(visitors, server, sessions.of("editor"), "personas/pina")
    page = visit.page
    references = page.get_by_label("Références, une par ligne")
    await references.fill("Café Müller\n\n  Kontakthof \n")
    form = page.locator("form.form").nth(1)
    async with page.expect_response("**/source"):
        await form.get_by_role("button", name="Enregistrer").click()
    await expect(references).to_have_value("Café Müller\nKontakthof")
    await references.fill("x" * 501)
    await expect(form.get_by_role("button", name="Enregistrer")).to_be_disabled()


async def test_cards_come_in_by_choice_and_by_drop_and_go_out(
    server: Server, visitors: Visitors, sessions: Sessions, tmp_path: Path
) -> None:
    card = {"spec": "chara_card_v2", "spec_version": "2.0", "data": {"name": "Alix"}}
    good, bad = tmp_path / "alix.json", tmp_path / "rien.json"
    good.write_text(json.dumps(card))
    bad.write_text("{")
    visit = await open_desk(visitors, server, sessions.of("editor"), "personas")
    page = visit.page
    await page.get_by_label("Choisir des fichiers").set_input_files([good, bad])
    outcomes = page.locator(".drop .entry-box")
    await expect(outcomes).to_have_count(2)
    await expect(outcomes.nth(0)).to_contain_text("alix.json est devenu Alix")
    await expect(outcomes.nth(1)).to_contain_text("rien.json n'a pas été pris")
    await page.locator(".drop").evaluate(
        """(place, text) => {
          const data = new DataTransfer();
          data.items.add(new File([text], 'lache.json', {type: 'application/json'}));
          for (const kind of ['dragover', 'drop'])
            place.dispatchEvent(new DragEvent(kind, {dataTransfer: data, bubbles: true, cancelable: true}));
        }""",
        json.dumps({"name": "Lia", "description": "d"}),
    )
    await expect(outcomes.nth(2)).to_contain_text("lache.json est devenu Lia")
    await outcomes.nth(0).get_by_role("link").click()
    await expect(page.locator("#page-title")).to_have_text("Alix")
    async with page.expect_download() as saved:
        await page.get_by_role("link", name="PNG").click()
    path = await (await saved.value).path()
    assert path.read_bytes().startswith(b"\x89PNG")


def wav(seconds: float) -> bytes:
    sound = BytesIO()
    with wave.open(sound, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16_000)
        file.writeframes(b"\x10\x00" * int(16_000 * seconds))
    return sound.getvalue()


async def test_a_voice_sample_is_kept_heard_and_deleted(
    server: Server, visitors: Visitors, sessions: Sessions
) -> None:
    visit = await open_desk(visitors, server, sessions.of("editor"), "personas/eno")
    page = visit.page
    part = page.locator("section", has=page.locator("#voice-sample"))
    chosen = part.get_by_label("Choisir un WAV")
    await chosen.set_input_files({"name": "v.wav", "mimeType": "audio/wav", "buffer": wav(1)})
    await expect(part.locator("audio")).to_have_count(1)
    await part.locator("audio").evaluate(
        "(each) => new Promise((done, no) => {"
        " each.onloadedmetadata = done; each.onerror = () => no(each.error); each.load(); })"
    )
    await part.get_by_role("button", name="Supprimer").click()
    await page.get_by_role("dialog").get_by_role("button", name="Supprimer").click()
    await expect(part).to_contain_text("Aucun échantillon.")
    assert visit.complaints == []


async def test_accounts_are_made_changed_and_removed_and_the_book_tells(
    server: Server, visitors: Visitors, sessions: Sessions
) -> None:
    visit = await open_desk(visitors, server, sessions.of("admin"), "users")
    page = visit.page
    form = page.locator("section", has=page.locator("#new-user")).last
    await form.get_by_label("Nom").fill("nora")
    await form.get_by_label("Mot de passe").fill("un mot de passe long")
    await form.get_by_role("button", name="Créer le compte").click()
    role = page.get_by_label("Rôle de nora")
    await expect(role).to_have_value("viewer")
    await role.select_option("editor")
    await expect(page.locator(".notice-bar")).to_contain_text("nora : édition.")
    await page.get_by_role("button", name="Défaire").click()
    await expect(role).to_have_value("viewer")
    await page.get_by_role("button", name="Supprimer le compte nora").click()
    await page.get_by_role("dialog").get_by_role("button", name="Annuler").click()
    await expect(role).to_be_visible()
    await page.get_by_role("button", name="Supprimer le compte nora").click()
    await page.get_by_role("dialog").get_by_role("button", name="Supprimer").click()
    await expect(role).to_have_count(0)
    await go(visit, server, "audit?target=nora")
    actions = page.locator(".entry-box code")
    await expect(actions.last).to_have_text("user.add")
    assert len(await actions.all()) >= 4
    await page.get_by_label("Action").fill("user.add")
    await page.get_by_role("button", name="Filtrer").click()
    await expect(actions).to_have_count(1)
    assert "mot de passe" not in await page.locator(".entries").inner_text()
    await page.get_by_role("button", name="Vérifier le journal").click()
    await expect(page.locator(".verdict-line")).to_contain_text("Le journal est entier")
    assert visit.complaints == []


async def test_what_was_said_is_read_by_day_and_found_by_its_words(
    server: Server, visitors: Visitors, sessions: Sessions
) -> None:
    async with plain_client(server, "lea") as lea:
        await lea.send(json.dumps({"type": "message", "text": f"l'été des {HOSTILE} cigales"}))
        async for raw in lea:
            if "cigales" in str(raw):
                break
    visit = await open_desk(visitors, server, sessions.of("viewer"), "history")
    page = visit.page
    await expect(page.locator(".link-list a").first).to_be_visible()
    await page.get_by_label("Chercher dans ce qui s'est dit").fill("CIGALES")
    await page.get_by_role("button", name="Chercher").click()
    hits = page.locator(".said-line mark")
    await expect(hits.first).to_have_text("cigales")
    await expect(page.locator(".said-words").first).to_contain_text(HOSTILE)
    await page.locator(".said-line a.time").first.click()
    await expect(page.locator(".said-words", has_text="cigales").first).to_be_visible()
    assert visit.complaints == []


async def test_long_days_come_in_pages(
    server: Server, visitors: Visitors, sessions: Sessions
) -> None:
    visit = await open_desk(visitors, server, sessions.of("viewer"), "history")

    async def serve(route: Route) -> None:
        offset = int(route.request.url.partition("offset=")[2] or 0)
        rows = [
            {"type": "message", "nick": "ada", "text": f"n{offset + each}"} for each in range(100)
        ]
        await body_json(route, {"messages": rows, "total": 250, "limit": 100, "offset": offset})

    await visit.page.route("**/api/v2/chat/history/2026-03-20?*", serve)
    await go(visit, server, "history/2026-03-20")
    await expect(visit.page.locator(".pager")).to_contain_text("1 à 100 sur 250")
    await visit.page.get_by_role("link", name="Après").click()
    await expect(visit.page.locator(".said-words").first).to_have_text("n100")
    await visit.page.get_by_role("link", name="Avant").click()
    await expect(visit.page.locator(".said-words").first).to_have_text("n0")


async def test_measures_are_drawn_and_told_in_a_table(
    server: Server, visitors: Visitors, sessions: Sessions
) -> None:
    visit = await open_desk(visitors, server, sessions.of("viewer"), "overview")
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
    await go(visit, server, "analytics")
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
    server: Server, visitors: Visitors, sessions: Sessions
) -> None:
    visit = await open_desk(visitors, server, sessions.of("admin"), "overview", size=(375, 812))
    alarms: list[str] = []

    async def alarm(dialog: Dialog) -> None:
        alarms.append(dialog.message)
        await dialog.dismiss()

    visit.page.on("dialog", alarm)
    await _hostile(visit.page)
    for page in (*PAGES[:4], "errors", "audit", "users", "personas/x"):
        await go(visit, server, page)
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
    server: Server, visitors: Visitors, sessions: Sessions
) -> None:
    visit = await open_desk(visitors, server, sessions.of("admin"), "overview")
    missing = {"ok": False, "error": "not_found"}
    await visit.page.route("**/api/v2/analytics", lambda route: body_json(route, missing, 404))
    await go(visit, server, "analytics")
    trouble = visit.page.locator(".trouble")
    await expect(trouble).to_contain_text("Ce serveur ne sait pas encore faire cela.")
    await visit.page.unroute("**/api/v2/analytics")
    await trouble.get_by_role("button", name="Réessayer").click()
    await expect(visit.page.locator(".totals")).to_be_visible()


async def test_the_keyboard_skips_to_the_page_and_walks_in_reading_order(
    server: Server, visitors: Visitors, sessions: Sessions
) -> None:
    visit = await open_desk(visitors, server, sessions.of("admin"), "users")
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
