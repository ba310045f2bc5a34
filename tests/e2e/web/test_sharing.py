"""Files go from the page to the room: dropped, pasted, chosen, refused, taken back."""

import asyncio
import json
from pathlib import Path

import pytest
from playwright.async_api import FileChooser, Page, Route, expect
from tests.e2e.web.browser import CHROMIUM, Visit, Visitors, beside
from tests.e2e.web.sounds import base64_of, png
from tests.support.lasting_server import Server

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium"),
    pytest.mark.asyncio(loop_scope="module"),
]

MIB = 1024 * 1024

TRANSFER = """(files) => {
  const transfer = new DataTransfer();
  for (const { name, type, data } of files) {
    const bytes = Uint8Array.from(atob(data), (sign) => sign.charCodeAt(0));
    transfer.items.add(new File([bytes], name, { type }));
  }
  return transfer;
}"""


def given(name: str, mime: str, data: bytes) -> dict[str, str]:
    return {"name": name, "type": mime, "data": base64_of(data)}


def chosen(name: str, mime: str, data: bytes) -> dict[str, object]:
    return {"name": name, "mimeType": mime, "buffer": data}


async def transfer_of(page: Page, *files: dict[str, str]):
    return await page.evaluate_handle(TRANSFER, list(files))


async def drag(page: Page, kind: str, transfer) -> None:
    await page.dispatch_event("body", kind, {"dataTransfer": transfer})


async def test_a_dropped_file_is_told_to_everybody_and_answered(
    server: Server, visitors: Visitors
) -> None:
    ada, lea = await visitors.open(server, "ada"), await visitors.open(server, "lea")
    transfer = await transfer_of(ada.page, given("note.txt", "text/plain", b"Xenakis " * 300))
    await drag(ada.page, "dragenter", transfer)
    await expect(ada.page.locator(".drop-zone")).to_contain_text("12 Mo au plus")
    await drag(ada.page, "drop", transfer)
    await expect(ada.page.locator(".drop-zone")).to_have_count(0)
    for visit in (ada, lea):
        await visit.shows("ada a envoyé: note.txt (2.3 KB)")
    await expect(ada.page.locator(".tray [role=status]")).to_have_text("note.txt : envoyé")
    await expect(ada.page.locator(".upload")).to_have_count(0)
    await expect(lea.page.locator(".growing, .lines .line.message").last).to_be_visible()
    assert ada.complaints == []


async def test_a_pasted_picture_is_shared_and_pasted_words_stay_words(
    server: Server, visitors: Visitors
) -> None:
    visit = await visitors.open(server, "ada")
    await visit.field.focus()
    paste = """(transfer) => {
      const event = new ClipboardEvent("paste", { clipboardData: transfer, bubbles: true, cancelable: true });
      return document.activeElement.dispatchEvent(event);
    }"""
    words = await visit.page.evaluate_handle(
        "() => { const t = new DataTransfer(); t.setData('text/plain', 'a'.repeat(9000)); return t; }"
    )
    assert await visit.page.evaluate(paste, words) is True
    await expect(visit.page.locator(".upload")).to_have_count(0)
    picture = await transfer_of(visit.page, given("image.png", "image/png", png(64, 64)))
    assert await visit.page.evaluate(paste, picture) is False
    await visit.shows("ada a envoyé: image.png")


async def test_several_chosen_files_go_one_after_the_other(
    server: Server, visitors: Visitors
) -> None:
    visit = await visitors.open(server, "ada")
    await visit.page.locator("input[type=file]").set_input_files(
        [chosen(f"liste-{n}.csv", "text/csv", b"a;b\n1;2\n") for n in (1, 2, 3)]
    )
    for n in (1, 2, 3):
        await visit.shows(f"ada a envoyé: liste-{n}.csv")
    told = [
        text
        for text in await visit.page.locator(".lines .line.system").all_inner_texts()
        if "liste-" in text
    ]
    assert [f"liste-{n}" in text for n, text in zip((1, 2, 3), told, strict=True)] == [True] * 3


async def test_the_paperclip_opens_the_choice_with_the_keyboard(
    server: Server, visitors: Visitors
) -> None:
    visit = await visitors.open(server, "ada")
    choices: asyncio.Queue[FileChooser] = asyncio.Queue()
    visit.page.on(
        "filechooser", choices.put_nowait
    )  # long before it is needed: it takes effect late
    await visit.field.focus()
    await visit.page.keyboard.press("Tab")
    await expect(visit.page.get_by_role("button", name="Joindre des fichiers")).to_be_focused()
    await visit.page.keyboard.press("Enter")
    async with asyncio.timeout(30):
        assert (await choices.get()).is_multiple()


async def test_progress_is_seen_and_an_upload_can_be_taken_back(
    server: Server, visitors: Visitors
) -> None:
    visit = await visitors.open(server, "ada")
    await _slow_down(visit, bytes_per_s=200_000)
    field = visit.page.locator("input[type=file]")
    await field.set_input_files([chosen("lent.txt", "text/plain", b"a" * (4 * MIB))])
    bar = visit.page.locator(".upload progress")
    await expect(bar).to_be_visible()
    seen = set()
    while len(seen) < 3:
        assert await bar.count(), f"it ended with no more than {seen} shown"
        seen.add(await bar.get_attribute("value") or "0")
        await asyncio.sleep(0.1)
    await visit.page.get_by_role("button", name="Annuler l'envoi de lent.txt").click()
    await expect(visit.page.locator(".upload")).to_have_count(0)
    await _slow_down(visit, bytes_per_s=-1)
    await field.set_input_files([chosen("apres.txt", "text/plain", b"fini")])
    await visit.shows("ada a envoyé: apres.txt")
    assert await visit.page.locator(".lines").filter(has_text="lent.txt").count() == 0


async def test_too_large_and_empty_files_are_refused_before_they_are_sent(
    server: Server, visitors: Visitors
) -> None:
    visit = await visitors.open(server, "ada")
    sent: list[str] = []
    visit.page.on("request", lambda request: sent.append(request.url))
    await visit.page.evaluate(
        """(size) => {
          const transfer = new DataTransfer();
          transfer.items.add(new File([new Uint8Array(size)], "gros.wav"));
          transfer.items.add(new File([], "vide.txt"));
          dispatchEvent(new DragEvent("drop", { dataTransfer: transfer }));
        }""",
        12 * MIB + 1,
    )
    problems = visit.page.locator(".upload-problem")
    await expect(problems.first).to_have_text(
        "gros.wav fait 12,1 Mo ; la limite est de 12 Mo. Partage une version plus petite."
    )
    await expect(problems.last).to_have_text("vide.txt est vide : choisis un autre fichier.")
    await expect(visit.page.get_by_role("button", name="Réessayer")).to_have_count(0)
    await visit.page.get_by_role("button", name="Retirer gros.wav").click()
    await expect(problems).to_have_count(1)
    assert not [url for url in sent if "uploads" in url]


async def test_a_file_of_exactly_the_limit_passes(server: Server, visitors: Visitors) -> None:
    visit = await visitors.open(server, "ada")
    await visit.page.evaluate(
        """(size) => {
          const transfer = new DataTransfer();
          transfer.items.add(new File([new Uint8Array(size).fill(97)], "limite.txt"));
          dispatchEvent(new DragEvent("drop", { dataTransfer: transfer }));
        }""",
        12 * MIB,
    )
    await visit.shows("ada a envoyé: limite.txt (12288.0 KB)")


async def test_the_servers_refusal_is_shown_and_can_be_tried_again(
    server: Server, visitors: Visitors
) -> None:
    visit = await visitors.open(server, "ada")
    await visit.page.locator("input[type=file]").set_input_files(
        [chosen("programme.exe", "application/octet-stream", b"MZ" + b"\0" * 200)]
    )
    problem = visit.page.locator(".upload-problem")
    await expect(problem).to_be_visible()
    first = await problem.inner_text()
    assert first
    async with visit.page.expect_response("**/api/v2/uploads*") as answer:
        await visit.page.get_by_role("button", name="Réessayer").click()
    assert (await answer.value).status == 415
    await expect(problem).to_have_text(first)
    await expect(visit.page.locator(".lines")).not_to_contain_text("programme.exe")


async def test_a_busy_server_is_waited_for_by_itself(server: Server, visitors: Visitors) -> None:
    visit = await visitors.open(server, "ada")
    asked: list[str] = []

    async def busy_once(route: Route) -> None:
        asked.append(route.request.url)
        if len(asked) > 1:
            await route.continue_()
            return
        body = json.dumps({"ok": False, "error": "upload_too_fast", "message": "Trop."})
        await route.fulfill(status=429, body=body, headers={"retry-after": "3"})

    await visit.page.route("**/api/v2/uploads*", busy_once)
    await visit.page.locator("input[type=file]").set_input_files(
        [chosen("patient.txt", "text/plain", b"attendre")]
    )
    await expect(visit.page.locator(".upload-state")).to_contain_text("nouvel essai dans")
    await visit.shows("ada a envoyé: patient.txt")
    assert len(asked) == 2


async def test_what_is_dropped_without_a_connection_goes_when_it_is_back(
    model: str, tmp_path: Path, visitors: Visitors
) -> None:
    server = Server(tmp_path, model)
    async with beside(server.running()):
        visit = await visitors.open(server, "ada")
        await visit.page.locator("input[type=file]").set_input_files(
            [chosen("avant.txt", "text/plain", b"un")]
        )
        await visit.shows("ada a envoyé: avant.txt")
    await expect(visit.page.locator(".status")).to_contain_text("reconnexion")
    await visit.page.locator("input[type=file]").set_input_files(
        [chosen("hors-ligne.txt", "text/plain", b"deux")]
    )
    await expect(visit.page.locator(".upload-state").last).to_have_text(
        "Pas de connexion : l'envoi reprendra à son retour."
    )
    async with beside(server.running()):
        await visit.is_connected()
        await visit.shows("ada a envoyé: hors-ligne.txt")
        assert len([f for f in visit.frames if "uploadTicket" in f]) == 2


async def test_a_server_of_the_seed_gets_a_frame(server: Server, visitors: Visitors) -> None:
    visit = await visitors.open(server, "ada")

    async def missing(route: Route) -> None:
        await route.fulfill(status=404, body="Not Found")

    await visit.page.route("**/api/v2/uploads*", missing)
    await visit.page.locator("input[type=file]").set_input_files(
        [chosen("trame.txt", "text/plain", b"par la prise")]
    )
    await visit.shows("ada a envoyé: trame.txt")
    (frame,) = [json.loads(f) for f in visit.frames if '"upload"' in f]
    assert frame == {
        "type": "upload",
        "filename": "trame.txt",
        "mimeType": "text/plain",
        "data": base64_of(b"par la prise"),
        "size": 12,
    }


async def _slow_down(visit: Visit, bytes_per_s: int) -> None:
    session = await visit.page.context.new_cdp_session(visit.page)
    await session.send("Network.enable")
    await session.send(
        "Network.emulateNetworkConditions",
        {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": bytes_per_s},
    )
