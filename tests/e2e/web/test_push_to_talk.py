"""The microphone of the page: held down or pressed, sent as a WAV, taken back, refused."""

import asyncio
import io
import re
import wave
from array import array
from collections.abc import AsyncIterator
from email.message import Message
from email.parser import BytesParser
from itertools import pairwise

import pytest
import pytest_asyncio
from playwright.async_api import Page, Route, expect
from tests.e2e.web.browser import CHROMIUM, Stage, Visit, Visitors, chromium, until
from tests.e2e.web.sounds import base64_of, wav
from tests.support.lasting_server import Server

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium"),
    pytest.mark.asyncio(loop_scope="module"),
]

HZ = 440
A_WHILE = re.compile("0:(0[1-9]|[1-5][0-9]) sur 1:00")
"""A second or more: who looks every now and then may miss the first."""
LOUD = re.compile(r"^(0\.[1-9]\d*|1)$")
TICKET = {"type": "uploadTicket", "ticket": "t1", "maxBytes": 12 * 1024 * 1024}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def speakers(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Visitors]:
    """Visitors whose microphone hears a tone."""
    file = tmp_path_factory.mktemp("voice") / "tone.wav"
    file.write_bytes(wav(4.0, HZ, rate=48_000))
    flags = (
        "--use-fake-ui-for-media-stream",
        "--use-fake-device-for-media-stream",
        f"--use-file-for-fake-audio-capture={file}",
    )
    async with chromium(*flags) as browser:
        yield Visitors(browser)


async def room(server: Server, speakers: Visitors, nick: str = "ada") -> tuple[Visit, Stage, list]:
    """A page, who talks to it, and the parts of what it uploads."""
    stage, uploads = Stage(), []
    visit = await speakers.open(server, nick, stage=stage)

    async def take(route: Route) -> None:
        uploads.append(_parts(route))
        await route.fulfill(status=202, json={"ok": True, "data": {}})

    await visit.page.route("**/api/v2/uploads*", take)
    return visit, stage, uploads


def _parts(route: Route) -> dict[str, tuple[Message, bytes]]:
    kind = route.request.headers["content-type"].encode()
    body = route.request.post_data_buffer or b""
    message = BytesParser().parsebytes(b"Content-Type: " + kind + b"\r\n\r\n" + body)
    return {
        str(part.get_param("name", header="content-disposition")): (
            part,
            part.get_payload(decode=True),
        )
        for part in message.get_payload()
    }


def microphone(page: Page):
    return page.locator(".microphone")


async def _give_ticket(stage: Stage) -> None:
    async def asked() -> bool:
        return {"type": "uploadTicket"} in stage.heard

    await until(asked, lambda: f"no ticket asked for in {stage.heard}")
    stage.say(TICKET)


async def _got(uploads: list) -> dict[str, tuple[Message, bytes]]:
    async def came() -> bool:
        return len(uploads) > 0

    await until(came, lambda: "nothing was uploaded")
    return uploads[0]


async def test_what_is_said_while_the_button_is_held_is_uploaded_as_speech(
    server: Server, speakers: Visitors
) -> None:
    visit, stage, uploads = await room(server, speakers)
    await microphone(visit.page).hover()
    await visit.page.mouse.down()
    await expect(visit.page.locator(".recording")).to_contain_text(A_WHILE)
    await expect(visit.page.locator(".level")).to_have_attribute("aria-valuenow", LOUD)
    await visit.page.mouse.up()
    await expect(visit.page.locator(".recording")).to_have_count(0)
    await _give_ticket(stage)
    parts = await _got(uploads)
    assert list(parts) == ["purpose", "file"]
    assert parts["purpose"][1] == b"speech"
    header, data = parts["file"]
    assert header.get_param("filename", header="content-disposition") == "parole.wav"
    _is_the_tone(data)
    assert visit.complaints == []


def _is_the_tone(data: bytes) -> None:
    """RIFF with right sizes, 16 kHz, one channel, 16 bits, and the tone in it."""
    assert data[:4] == b"RIFF"
    assert int.from_bytes(data[4:8], "little") == len(data) - 8
    assert int.from_bytes(data[40:44], "little") == len(data) - 44
    with wave.open(io.BytesIO(data)) as sound:
        assert (sound.getframerate(), sound.getnchannels(), sound.getsampwidth()) == (16_000, 1, 2)
        samples = array("h", sound.readframes(sound.getnframes()))
    assert 0.9 < len(samples) / 16_000 <= 60
    loud = samples[len(samples) // 2 :]
    assert max(map(abs, loud)) > 500
    rises = sum(1 for a, b in pairwise(loud) if a < 0 <= b)
    assert abs(rises / (len(loud) / 16_000) - HZ) < 0.05 * HZ


async def test_the_space_bar_begins_and_sends(server: Server, speakers: Visitors) -> None:
    visit, stage, uploads = await room(server, speakers)
    await microphone(visit.page).focus()
    await visit.page.keyboard.press("Space")
    await expect(visit.page.locator(".recording")).to_contain_text(A_WHILE)
    await visit.page.keyboard.press("Space")
    await _give_ticket(stage)
    assert (await _got(uploads))["purpose"][1] == b"speech"


async def test_escape_and_sliding_away_send_nothing(server: Server, speakers: Visitors) -> None:
    visit, stage, uploads = await room(server, speakers)
    page = visit.page
    await microphone(page).hover()
    await page.mouse.down()
    await expect(page.locator(".recording")).to_contain_text(A_WHILE)
    await page.keyboard.press("Escape")
    await expect(page.locator(".recording")).to_have_count(0)
    await page.mouse.up()
    await page.mouse.down()
    await expect(page.locator(".recording")).to_contain_text(A_WHILE)
    await page.mouse.move(400, 100)
    await expect(page.locator(".recording")).to_contain_text("Relâche ici pour annuler.")
    await page.mouse.up()
    await expect(page.locator(".recording")).to_have_count(0)
    await asyncio.sleep(0.2)
    assert (uploads, stage.heard) == ([], [])


async def test_nobody_is_heard_while_the_user_speaks(server: Server, speakers: Visitors) -> None:
    visit, stage, _ = await room(server, speakers)
    stage.say({"type": "persona", "nick": "Batty", "color": "#ff8a65"})
    await visit.page.evaluate(
        """() => {
          window.events = [];
          const play = HTMLMediaElement.prototype.play;
          HTMLMediaElement.prototype.play = function () {
            events.push("play");
            this.addEventListener("pause", () => events.push("pause"), { once: true });
            return play.call(this);
          };
        }"""
    )
    await visit.field.click()
    sound = {"type": "audio", "nick": "Batty", "data": base64_of(wav(30.0)), "replyId": "r1"}
    stage.say(sound | {"mimeType": "audio/wav", "number": 1})
    await _events_are(visit, "play")
    await microphone(visit.page).click()
    await _events_are(visit, "play", "pause")
    await expect(visit.page.locator(".recording")).to_contain_text("Le micro envoie")
    await visit.page.get_by_role("button", name="Annuler").click()
    await _events_are(visit, "play", "pause", "play")


async def _events_are(visit: Visit, *expected: str) -> None:
    async def are() -> bool:
        return await visit.page.evaluate("events") == list(expected)

    await until(are, lambda: f"the sound did not {expected}")


async def test_a_microphone_that_is_refused_says_what_to_do(
    server: Server, visitors: Visitors
) -> None:
    visit = await visitors.open(
        server,
        "ada",
        script="""navigator.mediaDevices.getUserMedia =
          () => Promise.reject(new DOMException("Permission denied", "NotAllowedError"));""",
    )
    await microphone(visit.page).click()
    await visit.shows("Le micro est refusé. Autorise-le", ".trouble")
    await expect(visit.page.locator(".recording")).to_have_count(0)


async def test_a_page_without_https_says_why_there_is_no_microphone(
    server: Server, visitors: Visitors
) -> None:
    script = "Object.defineProperty(navigator, 'mediaDevices', { value: undefined });"
    visit = await visitors.open(server, "ada", script=script)
    await microphone(visit.page).click()
    await visit.shows("Le navigateur ne prête le micro qu'à une page en https", ".trouble")
