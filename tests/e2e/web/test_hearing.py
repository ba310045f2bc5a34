"""Personas are heard in the page: in order, one at a time, and silent when that is wished."""

import re
from itertools import pairwise

import pytest
from playwright.async_api import expect
from tests.e2e.web.browser import CHROMIUM, Stage, Visit, Visitors, until
from tests.e2e.web.sounds import base64_of, png, wav
from tests.support.lasting_server import Server

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium"),
    pytest.mark.asyncio(loop_scope="module"),
]

PLAYBACK_LOG = """
  window.played = [];
  window.held = new Map();
  const create = URL.createObjectURL.bind(URL);
  URL.createObjectURL = (blob) => {
    const url = create(blob);
    held.set(url, blob.size);
    return url;
  };
  const revoke = URL.revokeObjectURL.bind(URL);
  URL.revokeObjectURL = (url) => (held.delete(url), revoke(url));
  const play = HTMLMediaElement.prototype.play;
  HTMLMediaElement.prototype.play = function () {
    const size = held.get(this.src);
    const entry = { size, from: performance.now(), to: null };
    played.push(entry);
    const end = () => (entry.to = performance.now());
    this.addEventListener("ended", end, { once: true, capture: true });  // before the page hears it
    return play.call(this);
  };
"""

UNTOUCHED = """
  let isTouched = false;
  addEventListener("click", () => (isTouched = true), true);
  const heard = HTMLMediaElement.prototype.play;
  HTMLMediaElement.prototype.play = function () {
    if (isTouched) return heard.call(this);
    return Promise.reject(new DOMException("not touched", "NotAllowedError"));
  };
"""
"""What a browser does before the first click; one that is driven counts as touched."""

PERSONAS = (
    {"type": "persona", "nick": "Batty", "color": "#ff8a65"},
    {"type": "persona", "nick": "Radigue", "color": "#80cbc4"},
    {"type": "userlist", "users": ["ada", "Batty", "Radigue"]},
)


LONG, VERY_LONG = 60, 500
"""Sentences of three and of 25 seconds: there is time to see who speaks, and to stop it."""


def sentence(nick: str, reply: str, number: int) -> dict[str, object]:
    """A sentence whose length tells which one it is."""
    return {
        "type": "audio",
        "nick": nick,
        "data": base64_of(_sound(reply, number)),
        "mimeType": "audio/wav",
        "seq": number,
        "replyId": reply,
        "number": number,
    }


def _sound(reply: str, number: int) -> bytes:
    return wav(0.2 + 0.05 * number + (0.02 if reply == "r2" else 0))


def chunk(nick: str, reply: str) -> dict[str, object]:
    words = {"text": "Une phrase. ", "color": "#ff8a65", "seq": 1, "replyId": reply}
    return {"type": "chunk", "nick": nick} | words


def final(nick: str, reply: str) -> dict[str, object]:
    words = {"text": "Une phrase. Deux phrases.", "color": "#ff8a65", "seq": 20, "replyId": reply}
    return {"type": "message", "nick": nick} | words


async def audience(server: Server, visitors: Visitors) -> tuple[Visit, Stage]:
    """A page that was touched, as browsers want it before sound, and who talks to it."""
    stage = Stage()
    visit = await visitors.open(server, "ada", stage=stage, script=PLAYBACK_LOG)
    stage.say(*PERSONAS)
    await visit.shows("Radigue", ".nick-name")
    await visit.field.click()
    return visit, stage


async def log_of(visit: Visit) -> list[dict]:
    return await visit.page.evaluate("played")


async def played(visit: Visit, *expected: tuple[str, int]) -> list[dict]:
    """Wait until exactly *expected* sentences were played to their ends; return the log."""
    sizes = [len(_sound(*which)) for which in expected]

    async def is_over() -> bool:
        log = await log_of(visit)
        return [entry["size"] for entry in log] == sizes and all(entry["to"] for entry in log)

    log: list[dict] = []

    async def look() -> bool:
        log[:] = await log_of(visit)
        return await is_over()

    await until(look, lambda: f"{sizes} expected, {log} played")
    return await log_of(visit)


async def test_sentences_are_heard_in_order_and_personas_never_mix(
    server: Server, visitors: Visitors
) -> None:
    visit, stage = await audience(server, visitors)
    stage.say(chunk("Batty", "r1"), chunk("Radigue", "r2"))
    stage.say(sentence("Batty", "r1", 1), sentence("Radigue", "r2", 1))
    stage.say(sentence("Radigue", "r2", 2), sentence("Batty", "r1", 2))
    stage.say(final("Radigue", "r2"), sentence("Batty", "r1", 3), final("Batty", "r1"))
    log = await played(visit, ("r1", 1), ("r1", 2), ("r1", 3), ("r2", 1), ("r2", 2))
    assert all(before["to"] <= after["from"] for before, after in pairwise(log))
    assert visit.complaints == []


async def test_who_speaks_is_seen_and_a_heard_line_can_be_heard_again(
    server: Server, visitors: Visitors
) -> None:
    visit, stage = await audience(server, visitors)
    stage.say(chunk("Batty", "r1"), sentence("Batty", "r1", LONG))
    await expect(visit.page.locator(".growing .speaks")).to_be_visible()
    await expect(visit.page.locator(".nick-row .speaks")).to_contain_text("Batty parle")
    stage.say(final("Batty", "r1"))
    await expect(visit.page.locator(".speaks")).to_have_count(0)
    await visit.page.get_by_role("button", name="Réécouter Batty").click()
    await played(visit, ("r1", LONG), ("r1", LONG))


async def test_a_muted_persona_is_not_heard_and_that_is_remembered(
    server: Server, visitors: Visitors
) -> None:
    visit, stage = await audience(server, visitors)
    await visit.page.get_by_role("button", name="Couper la voix de Batty").click()
    stage.say(sentence("Batty", "r1", 1), sentence("Radigue", "r2", 1))
    await played(visit, ("r2", 1))
    await visit.page.reload()
    await visit.is_connected()
    stage.say(*PERSONAS)
    unmute = visit.page.get_by_role("button", name="Rendre sa voix à Batty")
    await expect(unmute).to_have_attribute("aria-pressed", "true")
    await unmute.click()
    stage.say(sentence("Batty", "r3", 1))
    await played(visit, ("r3", 1))


async def test_a_mute_is_reached_with_the_arrows(server: Server, visitors: Visitors) -> None:
    visit, _ = await audience(server, visitors)
    await visit.page.locator(".nick-entry.persona").first.focus()
    await visit.page.keyboard.press("ArrowDown")
    await visit.page.keyboard.press("ArrowRight")
    await expect(visit.page.locator(".mute").last).to_be_focused()
    await visit.page.keyboard.press("Enter")
    await expect(visit.page.locator(".mute").last).to_have_attribute("aria-pressed", "true")


async def test_the_sound_is_switched_off_and_nothing_piles_up(
    server: Server, visitors: Visitors
) -> None:
    visit, stage = await audience(server, visitors)
    await visit.page.get_by_role("button", name="Voix des personas").click()
    switch = visit.page.get_by_role("switch", name="Entendre les voix")
    await switch.click()
    stage.say(sentence("Batty", "r1", 1), sentence("Batty", "r1", 2))
    stage.say({"type": "system", "text": "entre-temps"})
    await visit.shows("entre-temps")
    await switch.click()
    stage.say(sentence("Radigue", "r2", 1))
    await played(visit, ("r2", 1))
    await visit.page.get_by_label("Volume").fill("0.5")
    await visit.page.keyboard.press("Escape")
    await expect(visit.page.locator(".voice-panel")).to_be_hidden()
    await visit.page.reload()
    await visit.is_connected()
    await visit.page.get_by_role("button", name="Voix des personas").click()
    await expect(visit.page.get_by_label("Volume")).to_have_value("0.5")


async def test_escape_stops_the_answer_and_its_voice(server: Server, visitors: Visitors) -> None:
    visit, stage = await audience(server, visitors)
    said = {"type": "message", "nick": "ada", "text": "@Batty parle", "color": "#ffffff", "seq": 1}
    stage.say(
        said, chunk("Batty", "r1"), sentence("Batty", "r1", VERY_LONG), sentence("Batty", "r1", 1)
    )
    await expect(visit.page.locator(".growing .speaks")).to_be_visible()
    await visit.field.press("Escape")
    await expect(visit.page.locator(".speaks")).to_have_count(0)
    await until(_has(stage, "/stop"), lambda: f"no /stop in {stage.heard}")
    stage.say({"type": "system", "text": "Batty s'arrête.", "replyId": "r1"})
    stage.say(sentence("Batty", "r1", 2), sentence("Radigue", "r2", VERY_LONG))
    await expect(visit.page.locator(".nick-row .speaks")).to_contain_text("Radigue parle")
    assert len(await log_of(visit)) == 2


async def test_the_stop_button_silences_a_reply_that_is_already_written(
    server: Server, visitors: Visitors
) -> None:
    visit, stage = await audience(server, visitors)
    stage.say(chunk("Batty", "r1"), final("Batty", "r1"), sentence("Batty", "r1", VERY_LONG))
    await visit.page.get_by_role("button", name="Arrêter").click()
    await expect(visit.page.locator(".speaks, .stop")).to_have_count(0)
    assert not [frame for frame in stage.heard if frame["type"] == "command"]


async def test_a_page_that_was_not_touched_asks_for_a_click(
    server: Server, visitors: Visitors
) -> None:
    stage = Stage()
    script = PLAYBACK_LOG + UNTOUCHED
    visit = await visitors.open(server, "ada", stage=stage, script=script)
    stage.say(*PERSONAS, sentence("Batty", "r1", 1))
    await visit.shows("Batty parle, mais le navigateur attend un clic.", ".blocked")
    await visit.page.locator(".blocked button").click()
    await expect(visit.page.locator(".blocked")).to_be_hidden()
    await until(_ended_once(visit), lambda: "nothing was heard after the click")


async def test_sounds_are_freed_with_their_lines(server: Server, visitors: Visitors) -> None:
    visit, stage = await audience(server, visitors)
    stage.say(chunk("Batty", "r1"), sentence("Batty", "r1", 1), final("Batty", "r1"))
    await played(visit, ("r1", 1))
    await expect(visit.page.locator(".stop")).to_have_count(0)
    assert await visit.page.evaluate("held.size") == 1
    stage.say({"type": "system", "text": "__clear__"})
    await expect(visit.page.locator(".replay")).to_have_count(0)
    await visit.page.wait_for_function("held.size === 0")


async def test_music_has_a_player_and_does_not_begin_by_itself(
    server: Server, visitors: Visitors
) -> None:
    visit, stage = await audience(server, visitors)
    music = {"type": "music", "nick": "ada", "text": "la mer", "audioMime": "audio/wav"}
    stage.say(music | {"audioData": base64_of(wav(1.0))})
    player = visit.page.locator("figure audio")
    await expect(player).to_be_visible()
    await expect(visit.page.locator("figcaption")).to_have_text("la mer")
    assert await player.evaluate("(audio) => audio.paused")
    assert await log_of(visit) == []


async def test_a_picture_is_enlarged_and_arrows_go_to_the_others(
    server: Server, visitors: Visitors
) -> None:
    visit, stage = await audience(server, visitors)
    for words, color in (("un phare", (200, 120, 60)), ("la mer", (40, 80, 160))):
        image = {"type": "image", "nick": "ada", "text": words, "imageMime": "image/png"}
        stage.say(image | {"imageData": base64_of(png(320, 200, color))})
    await visit.page.get_by_role("img", name="un phare").click()
    viewer = visit.page.locator("dialog.viewer")
    await expect(viewer).to_be_visible()
    await expect(viewer).to_contain_text(re.compile(r"1 sur 2\s+un phare"))
    await visit.page.keyboard.press("ArrowRight")
    await expect(viewer).to_contain_text("la mer")
    await visit.page.keyboard.press("Escape")
    await expect(viewer).to_have_count(0)
    await expect(visit.page.locator(".picture").first).to_be_focused()


def _has(stage: Stage, line: str):
    async def said() -> bool:
        return {"type": "command", "text": line} in stage.heard

    return said


def _ended_once(visit: Visit):
    async def ended() -> bool:
        return any(entry["to"] for entry in await log_of(visit))

    return ended
