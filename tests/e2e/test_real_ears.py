"""The real Whisper and the embedded voice: what is said is heard, and nothing else is."""

import time
import unicodedata
from collections.abc import AsyncIterator, Callable

import numpy as np
import pytest
from tests.support.speech import weights

from palabre.adapters.speech.wav import Sound, read_wav, write_wav
from palabre.app.settings import Settings, load_settings
from palabre.app.speech import build_speaker, build_transcriber
from palabre.core.speech.model import SAMPLE_RATE_HZ, Voice
from palabre.core.speech.ports import Speaker, Transcriber

pytestmark = [pytest.mark.e2e, pytest.mark.model, pytest.mark.timeout(180)]

QUESTION = "Bonjour, comment s'appelle le chat de Marie ?"
FRENCH = Voice("fr_FR-siwis-medium", "Schaeffer")


def settings() -> Settings:
    weights("whisper-base")
    weights("kokoro")
    return load_settings(cli={"speech.engine": "kokoro"}, environ={}).settings


@pytest.fixture
async def ears() -> AsyncIterator[Transcriber]:
    made = build_transcriber(settings())
    yield made
    await made.aclose()


@pytest.fixture
async def speaker() -> AsyncIterator[Speaker]:
    made = build_speaker(settings())
    yield made
    await made.aclose()


def folded(words: str) -> list[str]:
    plain = unicodedata.normalize("NFD", words.casefold())
    letters = "".join(char if char.isalnum() else " " for char in plain if ord(char) < 0x300)
    return letters.split()


async def test_what_the_embedded_voice_says_is_heard_word_for_word(
    speaker: Speaker, ears: Transcriber, record_property: Callable[[str, object], None]
) -> None:
    began_s = time.monotonic()
    wav = await speaker.speak(QUESTION, FRENCH)
    said_s = time.monotonic()
    heard = await ears.transcribe(wav)
    record_property("speak_s", round(said_s - began_s, 2))
    record_property("listen_s", round(time.monotonic() - said_s, 2))
    assert folded(heard.text) == folded(QUESTION)
    assert heard.language == "fr"


async def test_nothing_is_heard_in_silence_noise_and_tones(ears: Transcriber) -> None:
    chance = np.random.default_rng(7)
    for duration_s in (1, 10):
        count = duration_s * SAMPLE_RATE_HZ
        moments_s = np.arange(count) / SAMPLE_RATE_HZ
        click = np.zeros(count)
        click[:3200] = 0.9
        recordings = {
            "silence": np.zeros(count),
            **{f"noise {level}": chance.normal(0, level, count) for level in (0.003, 0.03, 0.3)},
            "tone": 0.3 * np.sin(2 * np.pi * 440 * moments_s),
            "quiet tone": 0.01 * np.sin(2 * np.pi * 440 * moments_s),
            "click": click,
            "chord": sum(0.1 * np.sin(2 * np.pi * f * moments_s) for f in (220, 277, 330, 440))
            * (1 + np.sin(2 * np.pi * 3 * moments_s)),
        }
        heard = {
            name: (await ears.transcribe(_wav(samples))).text
            for name, samples in recordings.items()
        }
        assert heard == dict.fromkeys(recordings, "")


async def test_words_are_heard_between_silences(speaker: Speaker, ears: Transcriber) -> None:
    said = read_wav(await speaker.speak(QUESTION, FRENCH)).at_rate(SAMPLE_RATE_HZ)
    rest = np.zeros(3 * SAMPLE_RATE_HZ, np.float32)
    wav = write_wav(Sound(np.concatenate([rest, said.samples, rest]), SAMPLE_RATE_HZ))
    assert "chat de marie" in (await ears.transcribe(wav)).text.lower()


def _wav(samples: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> bytes:
    return write_wav(Sound(samples.astype(np.float32), SAMPLE_RATE_HZ))
