"""What all ears must do, run against all that can run here."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tests.support.speech import SHARED, weights

from palabre.adapters.speech.ears import (
    WhisperTranscriber,
    load_faster_whisper,
    load_openai_whisper,
)
from palabre.adapters.speech.engines import KokoroSpeaker
from palabre.adapters.speech.server_ears import OpenAITranscriber
from palabre.adapters.speech.server_voices import SidecarSpeaker
from palabre.adapters.speech.servers import SpeechServer
from palabre.adapters.speech.wav import Sound, read_wav, write_wav
from palabre.core.models.slots import CallSlots
from palabre.core.speech.model import SAMPLE_RATE_HZ, Voice
from palabre.core.speech.ports import Transcriber
from palabre.testing.simulators import speech
from palabre.testing.speech import ScriptedTranscriber, silence

pytestmark = pytest.mark.timeout(180)

WORDS = "Bonjour, comment s'appelle le chat de Marie ?"
VOICE = Voice("fr_FR-siwis-medium", "Schaeffer")
Pair = tuple[Transcriber, bytes]


def in_threads(load: Callable[[], Any]) -> WhisperTranscriber:
    return WhisperTranscriber(
        load,
        service="Whisper",
        model="base",
        language="fr",
        slots=CallSlots(2, 4),
        timeout_s=120,
    )


def package(name: str) -> Any:
    """Import what stands for OpenAI's package: it always hears the same."""
    told = {"language": "fr", "segments": [{"text": f" {WORDS}"}]}
    model = SimpleNamespace(transcribe=lambda *_, **__: told)
    threads = SimpleNamespace(set_num_threads=lambda _: None)
    return {"torch": threads, "whisper": SimpleNamespace(load_model=lambda *_, **__: model)}[name]


async def scripted(_stack: AsyncExitStack) -> Pair:
    return ScriptedTranscriber("", WORDS), silence(2)


async def openai_whisper(_stack: AsyncExitStack) -> Pair:
    tone = 0.3 * np.sin(2 * np.pi * 440 * np.arange(2 * SAMPLE_RATE_HZ) / SAMPLE_RATE_HZ)
    sound = write_wav(Sound(tone.astype(np.float32), SAMPLE_RATE_HZ))
    return in_threads(lambda: load_openai_whisper("base", 1, package)), sound


async def faster_whisper(stack: AsyncExitStack) -> Pair:
    kokoro = KokoroSpeaker(weights("kokoro"), {"fr": SHARED / "ff_siwis.bin"})
    stack.push_async_callback(kokoro.aclose)
    model = str(weights("whisper-base").parent)
    ears = in_threads(lambda: load_faster_whisper(model, 1, 2))
    return ears, await kokoro.speak(WORDS, VOICE)


async def server(stack: AsyncExitStack) -> Pair:
    url = await stack.enter_async_context(speech())
    sidecar = SidecarSpeaker(SpeechServer("sidecar", url))
    stack.push_async_callback(sidecar.aclose)
    ears = OpenAITranscriber(
        SpeechServer("ears", f"{url}/v1"), "whisper-1", "fr", slots=CallSlots(2, 4), timeout_s=60
    )
    return ears, await sidecar.speak(WORDS, VOICE)


REAL = pytest.param(faster_whisper, marks=[pytest.mark.e2e, pytest.mark.model])


@pytest.fixture(params=[scripted, openai_whisper, server, REAL])
async def heard(request: pytest.FixtureRequest) -> AsyncIterator[Pair]:
    """Ears, and a recording of `WORDS` that they understand."""
    async with AsyncExitStack() as stack:
        ears, recording = await request.param(stack)
        stack.push_async_callback(ears.aclose)
        yield ears, recording


async def test_words_are_written_down_and_silence_is_not(heard: Pair) -> None:
    ears, recording = heard
    assert (await ears.transcribe(silence(1))).text == ""
    transcript = await ears.transcribe(recording)
    assert transcript.text == WORDS
    assert transcript.language == "fr"
    assert transcript.model
    assert transcript.duration_s == pytest.approx(read_wav(recording).duration_s, abs=0.01)


async def test_several_recordings_at_once_are_all_written_down(heard: Pair) -> None:
    ears, recording = heard
    await ears.transcribe(silence(1))
    transcripts = await asyncio.gather(*(ears.transcribe(recording) for _ in range(3)))
    assert [each.text for each in transcripts] == [WORDS] * 3


async def test_what_the_sender_says_of_the_language_is_believed(heard: Pair) -> None:
    ears, _ = heard
    assert (await ears.transcribe(silence(1), "en")).language == "en"
