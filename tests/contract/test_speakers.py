"""What every voice must do, run against all that can run here."""

import asyncio
import shutil
import wave
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from io import BytesIO

import pytest
from tests.support.speech import SHARED, weights

from palabre.adapters.speech.engines import EspeakSpeaker, KokoroSpeaker, PiperSpeaker
from palabre.adapters.speech.server_voices import CloningSpeaker, OpenAISpeaker, SidecarSpeaker
from palabre.adapters.speech.servers import SpeechServer
from palabre.adapters.speech.voices import FirstSpeaker, NamedSpeaker
from palabre.core.models.slots import CallSlots
from palabre.core.speech.errors import NothingToSayError
from palabre.core.speech.model import Voice
from palabre.core.speech.ports import Speaker
from palabre.testing.simulators import speech
from palabre.testing.speech import ScriptedSpeaker, silence

pytestmark = pytest.mark.timeout(180)

ESPEAK = shutil.which("espeak-ng")
Make = Callable[[str], NamedSpeaker]


def piper(_url: str) -> NamedSpeaker:
    return PiperSpeaker({"en_US-joe-medium": weights("en_US-joe-medium")})


def kokoro(_url: str) -> NamedSpeaker:
    return KokoroSpeaker(weights("kokoro"), {"fr": SHARED / "ff_siwis.bin"})


MAKERS: dict[str, Make] = {
    "scripted": lambda _url: ScriptedSpeaker(),
    "espeak": lambda _url: EspeakSpeaker(ESPEAK or ""),
    "piper": piper,
    "kokoro": kokoro,
    "openai": lambda url: OpenAISpeaker(SpeechServer("openai", f"{url}/v1"), "tts-1", "alloy"),
    "sidecar": lambda url: SidecarSpeaker(SpeechServer("sidecar", url)),
    "clone": lambda url: CloningSpeaker(SpeechServer("clone", url)),
}
NEEDS = {
    "espeak": pytest.mark.skipif(ESPEAK is None, reason="espeak-ng is not installed"),
    "piper": pytest.mark.e2e,
    "kokoro": pytest.mark.e2e,
}


@pytest.fixture(
    params=[pytest.param(name, marks=NEEDS.get(name, ())) for name in MAKERS], scope="module"
)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def voice(kind: str) -> Voice:
    name = "en_US-joe-medium" if kind == "piper" else "fr_FR-siwis-medium"
    return Voice(name, "Schaeffer", silence(0.5))


@pytest.fixture
async def speaker(kind: str) -> AsyncIterator[Speaker]:
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(speech())
        made = FirstSpeaker([MAKERS[kind](url)], CallSlots(2, 16), timeout_s=30)
        stack.push_async_callback(made.aclose)
        yield made


def duration_s(wav: bytes) -> float:
    """Read *wav* with the standard library, which believes its sizes; check them."""
    assert int.from_bytes(wav[4:8], "little") == len(wav) - 8
    with wave.open(BytesIO(wav)) as reader:
        assert (reader.getsampwidth(), reader.getnchannels()) == (2, 1)
        assert len(reader.readframes(10**9)) == 2 * reader.getnframes()
        return reader.getnframes() / reader.getframerate()


async def test_a_sentence_becomes_a_wav_whose_sizes_are_right(
    speaker: Speaker, voice: Voice
) -> None:
    assert 0.5 < duration_s(await speaker.speak("Bonjour, où est le chat ?", voice)) < 8


async def test_odd_texts_are_said_or_clearly_left_out_and_the_next_one_is_said(
    speaker: Speaker, voice: Voice
) -> None:
    odd = ("buttons", "1835 1865", "10", "", "🎉", "שלום עולם", "a\0b", "...", "[[x]]", "<a>&amp;")
    said, left_out = [], []
    for words in odd:
        try:
            said.append(duration_s(await speaker.speak(words, voice)))
        except NothingToSayError:
            left_out.append(words)
    assert left_out == ["", "🎉", "..."]
    assert min(said) > 0.05
    assert await speaker.speak("Encore une phrase.", voice)


async def test_a_thousand_letters_are_a_minute_at_the_most(speaker: Speaker, voice: Voice) -> None:
    assert duration_s(await speaker.speak("a" * 5000, voice)) <= 60


async def test_several_at_once_all_get_their_sound(speaker: Speaker, voice: Voice) -> None:
    sentences = ("Un.", "Deux chats.", "Trois grands chats.")
    wavs = await asyncio.gather(*(speaker.speak(words, voice) for words in sentences))
    assert all(duration_s(wav) > 0.05 for wav in wavs)


async def test_words_taken_back_do_not_harm_the_next_ones(speaker: Speaker, voice: Voice) -> None:
    await speaker.speak("Un.", voice)
    taken_back = asyncio.ensure_future(speaker.speak("Deux grands chats noirs.", voice))
    await asyncio.sleep(0.02)
    taken_back.cancel()
    assert duration_s(await speaker.speak("Trois chats.", voice)) > 0.1
