"""What is done in the control room, in a real browser, on a real server."""

import json
import wave
from io import BytesIO
from pathlib import Path

import pytest
from playwright.async_api import expect
from tests.e2e.web.browser import CHROMIUM, Visitors
from tests.e2e.web.desk import (
    Sessions,
    go,
    open_desk,
)
from tests.e2e.web.plain import plain_client
from tests.support.lasting_server import Server

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium"),
    pytest.mark.asyncio(loop_scope="module"),
]

HOSTILE = "<img src=x onerror=alert(1)>\"'&lt;script>"


async def test_an_edit_is_visible_in_the_chat_at_once_and_can_be_undone(
    house: Server, visitors: Visitors, sessions: Sessions
) -> None:
    chat = await visitors.open(house, "ada")
    visit = await open_desk(visitors, house, sessions.of("editor"), "personas/oram")
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


async def test_who_was_overtaken_by_another_editor_is_told_and_loses_nothing(
    house: Server, visitors: Visitors, sessions: Sessions
) -> None:
    visit = await open_desk(visitors, house, sessions.of("editor"), "personas/ikeda")
    page = visit.page
    form = page.locator("form.form").first
    await form.get_by_label("Résumé").fill("Mes mots.")
    await form.get_by_label("Voix").fill("ma_voix")
    sessions.ask("PUT", "api/admin/personas/ikeda", {"summary": "Les mots d'une autre."})
    await form.get_by_role("button", name="Enregistrer").click()
    await expect(form.locator(".conflict")).to_contain_text("Les mots d'une autre.")
    assert sessions.ask("GET", "api/personas/ikeda")["summary"] == "Les mots d'une autre."
    await page.get_by_role("link", name="Erreurs").click()
    await expect(page.locator("#page-title")).to_have_text("Erreurs")
    await page.go_back()
    await expect(form.get_by_label("Voix")).to_have_value("ma_voix")
    await form.get_by_role("button", name="Garder le mien").click()
    async with page.expect_response("**/api/admin/personas/ikeda"):
        await form.get_by_role("button", name="Enregistrer").click()
    await expect(form.get_by_role("button", name="Abandonner")).to_have_count(0)
    persona = sessions.ask("GET", "api/personas/ikeda")
    assert (persona["summary"], persona["voice"]) == ("Mes mots.", "ma_voix")
    assert visit.complaints == []


async def test_a_persona_made_here_gets_its_colour_and_is_deleted_again(
    house: Server, visitors: Visitors, sessions: Sessions
) -> None:
    visit = await open_desk(visitors, house, sessions.of("editor"), "personas")
    page = visit.page
    await page.get_by_role("button", name="Nouvelle persona").click()
    await page.keyboard.type("Éphémère")
    await page.get_by_role("button", name="Créer", exact=True).click()
    await expect(page.locator("#page-title")).to_have_text("Éphémère")
    form = page.locator("form.form").first
    await form.get_by_label("Couleur").fill("#ff0080")
    await form.get_by_label("Plus longue réponse").fill("300")
    async with page.expect_response("**/api/admin/personas/*") as saved:
        await form.get_by_role("button", name="Enregistrer").click()
    kept = (await (await saved.value).json())["data"]
    assert (kept["color"], kept["maxTokens"]) == ("#ff0080", 300)
    remove = page.locator(".page-head").get_by_role("button", name="Supprimer")
    await remove.click()
    await page.get_by_role("dialog").get_by_role("button", name="Supprimer").click()
    await expect(page.get_by_role("link", name="Schaeffer")).to_be_visible()
    await page.get_by_placeholder("Trouver").fill("ephemere")
    await expect(page.locator(".empty")).to_have_text("Personne ne s'appelle ainsi.")
    await go(visit, house, "personas/eno")
    await expect(form.get_by_label("Couleur")).to_be_visible()
    await expect(remove).to_have_count(0)
    assert visit.complaints == []


async def test_a_drafted_proposal_is_shown_word_by_word_applied_and_taken_back(
    house: Server, visitors: Visitors, sessions: Sessions
) -> None:
    sessions.ask(
        "PUT", "api/admin/personas/cage", {"summary": "Tu écoutes longtemps, sans un mot."}
    )
    visit = await open_desk(visitors, house, sessions.of("editor"), "personas/cage")
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
    house: Server, visitors: Visitors, sessions: Sessions
) -> None:
    visit = await open_desk(visitors, house, sessions.of("editor"), "personas/pina")
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
    house: Server, visitors: Visitors, sessions: Sessions, tmp_path: Path
) -> None:
    card = {"spec": "chara_card_v2", "spec_version": "2.0", "data": {"name": "Alix"}}
    good, bad = tmp_path / "alix.json", tmp_path / "rien.json"
    good.write_text(json.dumps(card))
    bad.write_text("{")
    visit = await open_desk(visitors, house, sessions.of("editor"), "personas")
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
    house: Server, visitors: Visitors, sessions: Sessions
) -> None:
    visit = await open_desk(visitors, house, sessions.of("editor"), "personas/eno")
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
    house: Server, visitors: Visitors, sessions: Sessions
) -> None:
    visit = await open_desk(visitors, house, sessions.of("admin"), "users")
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
    await go(visit, house, "audit?target=nora")
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
    house: Server, visitors: Visitors, sessions: Sessions
) -> None:
    async with plain_client(house, "lea") as lea:
        await lea.send(json.dumps({"type": "message", "text": f"l'été des {HOSTILE} cigales"}))
        async for raw in lea:
            if "cigales" in str(raw):
                break
    visit = await open_desk(visitors, house, sessions.of("viewer"), "history")
    page = visit.page
    await expect(page.locator(".link-list a").first).to_be_visible()
    await page.get_by_label("Chercher dans ce qui s'est dit").fill("CIGALES")
    await page.get_by_role("button", name="Chercher").click()
    hits = page.locator(".said-line mark")
    await expect(hits.first).to_have_text("cigales")
    await expect(page.locator(".said-words").first).to_contain_text(HOSTILE)
    await page.get_by_role("link", name="Tous les jours").click()
    await page.get_by_label("Depuis le jour").fill("2026-01-02")
    await page.get_by_label("Jusqu'au jour").fill("2026-01-01")
    await page.get_by_role("button", name="Exporter en HTML").click()
    await expect(page.get_by_role("alert")).to_contain_text("Le premier jour vient après")
    await page.get_by_label("Jusqu'au jour").fill("")
    async with page.expect_download() as saved:
        await page.get_by_role("button", name="Exporter en HTML").click()
    assert "since=2026-01-02" in (await saved.value).url
    assert "cigales" in (await (await saved.value).path()).read_text()
    await page.go_back()
    await page.locator(".said-line a.time").first.click()
    await expect(page.locator(".said-words", has_text="cigales").first).to_be_visible()
    assert visit.complaints == []
