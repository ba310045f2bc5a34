"""Ears in threads: what is loaded when, how long it may take, and what is believed."""

import asyncio
import threading
import time
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from palabre.adapters.speech.ears import (
    Recogniser,
    WhisperTranscriber,
    load_faster_whisper,
    load_openai_whisper,
)
from palabre.adapters.speech.wav import Sound, write_wav
from palabre.core.models.errors import (
    ModelBusyError,
    ModelNotFetchedError,
    ModelNotLoadedError,
    OddAnswerError,
    SilentServerError,
)
from palabre.core.models.slots import CallSlots
from palabre.core.speech.gate import Phrase
from palabre.testing.speech import silence

TONE = 0.3 * np.sin(2 * np.pi * 440 * np.arange(24_000) / 24_000)
SOUND = write_wav(Sound(TONE.astype(np.float32), 24_000))


class Model:
    """A recogniser of the test's own; counts how it is used."""

    def __init__(self, *phrases: Phrase, delay_s: float = 0.0) -> None:
        self.phrases = list(phrases)
        self.delay_s = delay_s
        self.loads = 0
        self.samples: list[int] = []
        self.threads: set[str] = set()
        self.stopped = threading.Event()

    def load(self) -> Recogniser:
        self.loads += 1
        return self.recognise

    def recognise(
        self, samples: Any, language: str | None, stopped: threading.Event
    ) -> tuple[list[Phrase], str]:
        self.samples.append(len(samples))
        self.threads.add(threading.current_thread().name)
        deadline_s = time.monotonic() + self.delay_s
        while time.monotonic() < deadline_s and not stopped.is_set():
            time.sleep(0.005)
        if stopped.is_set():
            self.stopped.set()
        return self.phrases, language or "fr"


def ears(model: Model, *, timeout_s: float = 30, waiting: int = 4, language: str = "fr"):
    return WhisperTranscriber(
        model.load,
        service="Ears",
        model="base",
        language=language,
        slots=CallSlots(2, waiting),
        timeout_s=timeout_s,
    )


async def test_a_recording_is_heard_at_16_khz_in_a_thread_of_its_own() -> None:
    model = Model(Phrase(" Bonjour "), Phrase("Marie."))
    heard = await ears(model).transcribe(SOUND)
    assert (heard.text, heard.language, heard.model) == ("Bonjour Marie.", "fr", "base")
    assert heard.duration_s == 1.0
    assert model.samples == [16_000]
    assert all(name.startswith("ears") for name in model.threads)


async def test_the_model_is_loaded_once_and_not_before_the_first_recording() -> None:
    model = Model(Phrase("Oui."))
    listener = ears(model)
    assert model.loads == 0
    await asyncio.gather(*(listener.transcribe(SOUND) for _ in range(4)))
    assert model.loads == 1


@pytest.mark.parametrize("recording", [silence(1), silence(10), silence(0.01)])
async def test_silence_is_heard_without_a_model(recording: bytes) -> None:
    model = Model(Phrase("Merci."))
    assert (await ears(model).transcribe(recording)).text == ""
    assert model.loads == 0


async def test_what_nobody_said_is_not_believed() -> None:
    model = Model(Phrase("Sous-titres réalisés par la communauté d'Amara.org", -0.2, 0.1, 1.0))
    assert (await ears(model).transcribe(SOUND)).text == ""


async def test_patience_ends_and_the_work_with_it() -> None:
    model = Model(Phrase("Oui."), delay_s=30)
    with pytest.raises(SilentServerError):
        await ears(model, timeout_s=0.05).transcribe(SOUND)
    assert await asyncio.to_thread(model.stopped.wait, 30)


async def test_a_full_line_is_told() -> None:
    model = Model(Phrase("Oui."), delay_s=0.5)
    listener = ears(model, waiting=1)
    calls = [listener.transcribe(SOUND) for _ in range(4)]
    done = await asyncio.gather(*calls, return_exceptions=True)
    assert [type(each) for each in done].count(ModelBusyError) == 1


async def test_what_is_no_recording_is_refused() -> None:
    with pytest.raises(OddAnswerError):
        await ears(Model()).transcribe(b"ID3")


async def test_a_model_that_does_not_load_is_told_and_tried_again() -> None:
    model = Model(Phrase("Oui."))
    failures = [RuntimeError("no such file")]

    def load() -> Recogniser:
        if failures:
            raise failures.pop()
        return model.load()

    listener = WhisperTranscriber(
        load, service="Ears", model="x", language="", slots=CallSlots(1, 1), timeout_s=30
    )
    with pytest.raises(ModelNotLoadedError) as failed:
        await listener.transcribe(SOUND)
    assert failed.value.data["detail"] == "no such file"
    assert (await listener.transcribe(SOUND)).text == "Oui."


def test_the_usual_model_that_is_absent_is_one_to_fetch(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(ModelNotFetchedError) as failed:
        load_faster_whisper("base", 1, 1)
    assert failed.value.data["model"] == "whisper-base"


class OpenAIPackage:
    """What OpenAI's package and torch look like, as far as we use them."""

    def __init__(self) -> None:
        self.asked: dict[str, Any] = {}

    def __call__(self, name: str) -> Any:
        return {"torch": SimpleNamespace(set_num_threads=self.set_threads), "whisper": self}[name]

    def set_threads(self, count: int) -> None:
        self.asked["threads"] = count

    def load_model(self, name: str, device: str) -> "OpenAIPackage":
        self.asked |= {"model": name, "device": device}
        return self

    def transcribe(self, samples: Any, **options: Any) -> dict[str, Any]:
        self.asked |= options
        said = {"text": " Bonjour.", "avg_logprob": -0.2, "no_speech_prob": 0.01}
        invented = {"text": " Merci.", "avg_logprob": -0.9, "no_speech_prob": 0.95}
        return {"language": "fr", "segments": [said, invented]}


async def test_openais_own_package_steps_in_with_the_same_gate() -> None:
    package = OpenAIPackage()
    listener = WhisperTranscriber(
        lambda: load_openai_whisper("base", 1, package),
        service="openai-whisper",
        model="base",
        language="",
        slots=CallSlots(1, 1),
        timeout_s=30,
    )
    heard = await listener.transcribe(SOUND)
    assert (heard.text, heard.language) == ("Bonjour.", "fr")
    assert (package.asked["model"], package.asked["threads"]) == ("base", 1)
    assert package.asked["language"] is None


async def test_the_language_that_a_sender_names_goes_before_that_of_the_settings() -> None:
    transcriber = ears(Model(Phrase("Guten Tag")), language="fr")
    assert (await transcriber.transcribe(SOUND, "de")).language == "de"
    assert (await transcriber.transcribe(SOUND)).language == "fr"
    await transcriber.aclose()
