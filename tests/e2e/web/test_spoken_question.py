"""A question is spoken, heard, looked up in a document, answered and said aloud: all for real.

The embedded voice asks, Chromium shares the recording, Whisper writes it down, the passage is found
by meaning, the tiny model answers, the embedded voice says it, and Whisper hears what it said.
"""

import asyncio
import base64
import json
import os
import re
import subprocess
import time
import unicodedata
import wave
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.async_api import Page
from tests.e2e.web.browser import CHROMIUM, beside, chromium
from tests.support.served import PALABRE, Served, served

from palabre.app.settings import Settings
from palabre.core.speech.segmenter import SentenceSegmenter

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.model,
    pytest.mark.timeout(600),
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed"),
]

QUESTION = "Bonjour, comment s'appelle le chat de Marie ?"
DOCUMENT = """# Le chat

Le chat de Marie s'appelle Minou. Il est gris et il dort sur le four de la cuisine.
"""
PERSONA = """
nick = "Concierge"
color = "#4fc3f7"
model = "qwen3:8b"
summary = "Répond aux questions sur l'immeuble"
prompt = "Tu es le concierge. Tu réponds en une seule phrase courte, d'après les documents."
short_prompt = "Tu es le concierge. Tu réponds aux habitants par des phrases complètes."
max_tokens = 40
"""
MOST_S = 15.0


@dataclass(frozen=True, slots=True)
class Place:
    """A folder with settings, a persona and a document."""

    folder: Path

    @property
    def variables(self) -> dict[str, str]:
        return {
            **{name: value for name, value in os.environ.items() if name.startswith("PIP_")},
            "PALABRE_CACHE_DIR": os.environ.get("PALABRE_CACHE_DIR", str(Settings().cache_dir)),
            "PALABRE_DATA_DIR": str(self.data_dir),
            "PALABRE_PERSONAS__DIR": str(self.folder / "personas"),
            "PALABRE_MODELS__EMBEDDED__TIER": "tiny",
            "PALABRE_MODELS__EMBEDDED__THREADS": "1",
            "PALABRE_SPEECH__ENGINE": "kokoro",
            "TTS_ENABLED": "1",
        }

    @property
    def data_dir(self) -> Path:
        return self.folder / "rooms"

    def transcript(self, frame: dict[str, str]) -> str:
        """Return what the ears hear in an `audio` frame."""
        assert frame["mimeType"] == "audio/wav"
        file = self.folder / "heard.wav"
        file.write_bytes(base64.b64decode(frame["data"], validate=True))
        with wave.open(str(file)) as sound:
            assert sound.getnframes() > 0
        return json.loads(self.palabre("model", "test-stt", str(file), "--json"))["text"]

    def palabre(self, *arguments: str) -> str:
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), **self.variables}
        environment["PALABRE_MODELS__PROVIDER"] = "embedded"
        done = subprocess.run(
            [str(PALABRE), *arguments], env=environment, capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """The weights are fetched once, into the cache that all share."""
    made = Place(tmp_path_factory.mktemp("immeuble"))
    (made.folder / "personas").mkdir()
    for shipped in (Settings().content_dir / "personas").glob("*.toml"):
        (made.folder / "personas" / shipped.name).write_text("enabled = false\n", encoding="utf-8")
    (made.folder / "personas" / "concierge.toml").write_text(PERSONA, encoding="utf-8")
    (made.folder / "animaux.md").write_text(DOCUMENT, encoding="utf-8")
    for weights in ("tiny", "whisper-base", "kokoro"):
        made.palabre("model", "pull", weights)
    made.palabre("model", "test-tts", "--out", str(made.folder / "question.wav"), QUESTION)
    made.palabre("knowledge", "add", str(made.folder / "animaux.md"))
    yield made


def words(said: str) -> set[str]:
    """Return the words of *said*, without accents and in lower case."""
    plain = unicodedata.normalize("NFKD", said.casefold())
    return set(re.findall(r"[a-z]{3,}", "".join(c for c in plain if not unicodedata.combining(c))))


def _short(frame: dict[str, str]) -> str:
    return f"{frame['type']}: {frame.get('text', '')[:200]}"


class Ears:
    """What the page is told on its socket, with the moment of each frame."""

    def __init__(self, page: Page) -> None:
        self.frames: list[tuple[float, dict[str, str]]] = []
        page.on("websocket", lambda socket: socket.on("framereceived", self._hear))

    def _hear(self, raw: str | bytes) -> None:
        self.frames.append((time.monotonic(), json.loads(raw)))

    async def until(self, wanted: Callable[[dict[str, str]], bool], many: int = 1) -> list[float]:
        """Wait for *many* frames that are *wanted*; return their moments."""
        deadline_s = time.monotonic() + 60
        while time.monotonic() < deadline_s:
            found = [at for at, frame in self.frames if wanted(frame)]
            if len(found) >= many:
                return found
            await asyncio.sleep(0.02)
        pytest.fail(f"the page was told: {[_short(frame) for _, frame in self.frames]}")

    def of(self, kind: str) -> list[dict[str, str]]:
        return [frame for _, frame in self.frames if frame["type"] == kind]


async def test_a_spoken_question_is_answered_aloud_from_a_document(place: Place) -> None:
    running = served(place.data_dir, provider="embedded", variables=place.variables)
    async with beside(running) as server, chromium() as browser:
        await asyncio.to_thread(is_warm, server)
        page = await (await browser.new_context(locale="fr-FR")).new_page()
        ears = Ears(page)
        await page.goto(f"http://127.0.0.1:{server.address[1]}")
        await page.locator("[data-state=connected]").wait_for()
        began_s = time.monotonic()
        await page.locator("input[type=file]").first.set_input_files(place.folder / "question.wav")
        (answered_s, *_) = await ears.until(
            lambda frame: frame["type"] == "message" and frame["nick"] == "Concierge"
        )
        (heard_s, *_) = await ears.until(lambda frame: frame["type"] == "audio")
        answer = ears.of("message")[-1]["text"]
        await ears.until(lambda frame: frame["type"] == "audio", many=sentences(answer))
    turn_s = max(answered_s, heard_s) - began_s
    assert "minou" in words(answer), answer
    assert turn_s < MOST_S, f"the turn took {turn_s:.1f} s"
    spoken = " ".join(place.transcript(frame) for frame in ears.of("audio"))
    common = words(answer) & words(spoken)
    assert len(common) >= 0.6 * len(words(answer)), (answer, spoken)


def sentences(answer: str) -> int:
    segmenter = SentenceSegmenter()
    return len(segmenter.feed(answer) + segmenter.finish())


def is_warm(server: Served) -> None:
    """Wait until the model is loaded: the first start of a day is no part of a turn."""
    deadline_s = time.monotonic() + 60
    while time.monotonic() < deadline_s:
        if server.figure("palabre_model_calls_total", kind="embedded"):
            return
        time.sleep(0.1)
    pytest.fail("the model is not loaded")
