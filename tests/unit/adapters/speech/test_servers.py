"""Speech servers that answer, refuse, lie, hang and fall silent: the simulated one plays all."""

import base64
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest

from palabre.adapters.speech.server_ears import OpenAITranscriber
from palabre.adapters.speech.server_voices import CloningSpeaker, OpenAISpeaker, SidecarSpeaker
from palabre.adapters.speech.servers import SpeechServer
from palabre.adapters.speech.voices import FirstSpeaker, NamedSpeaker
from palabre.adapters.speech.wav import read_wav
from palabre.core.models.errors import (
    CutAnswerError,
    OddAnswerError,
    SilentServerError,
    UnreachableServerError,
)
from palabre.core.models.slots import CallSlots
from palabre.core.speech.errors import NoVoiceError
from palabre.core.speech.model import Voice
from palabre.kernel.errors import UpstreamError
from palabre.testing.simulators import speech
from palabre.testing.speech import silence

SCRIPT = """
large_bytes = 40000000

[[answer]]
when = "refuse"
error = "http"

[[answer]]
when = "busy"
error = "busy"

[[answer]]
when = "cut"
error = "cut"

[[answer]]
when = "hang"
error = "hang"

[[answer]]
when = "page"
error = "not_audio"

[[answer]]
when = "lie"
error = "lying"

[[answer]]
when = "large"
error = "too_large"
"""
VOICE = Voice("fr_FR-siwis-medium", "Schaeffer", silence(0.5))


@pytest.fixture
async def url() -> AsyncIterator[str]:
    async with speech(SCRIPT) as found:
        yield found


def speaker(kind: str, url: str) -> NamedSpeaker:
    if kind == "openai":
        return OpenAISpeaker(SpeechServer("/audio/speech", f"{url}/v1", "key"), "tts-1", "alloy")
    server = SpeechServer(f"/{kind}", url)
    return SidecarSpeaker(server) if kind == "tts" else CloningSpeaker(server)


@pytest.fixture(params=["openai", "tts", "clone"])
async def voices(request: pytest.FixtureRequest, url: str) -> AsyncIterator[FirstSpeaker]:
    made = FirstSpeaker([speaker(request.param, url)], CallSlots(2, 8), timeout_s=30)
    yield made
    await made.aclose()


async def asked(url: str) -> dict[str, Any]:
    async with httpx2.AsyncClient() as http:
        told = (await http.get(f"{url}/sim/requests")).json()
    return dict(told["requests"][-1] if isinstance(told, dict) else told[-1])


async def test_a_server_speaks(voices: FirstSpeaker) -> None:
    assert read_wav(await voices.speak("Bonjour Marie.", VOICE)).duration_s > 0.3


async def test_a_wav_of_4_gigabytes_is_what_it_is(voices: FirstSpeaker) -> None:
    wav = await voices.speak("lie to me", VOICE)
    assert int.from_bytes(wav[4:8], "little") == len(wav) - 8


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("refuse", UpstreamError),
        ("busy", UpstreamError),
        ("cut", CutAnswerError),
        ("page", OddAnswerError),
        ("large", OddAnswerError),
    ],
)
async def test_what_goes_wrong_is_told_in_time(
    voices: FirstSpeaker, words: str, kind: type[UpstreamError]
) -> None:
    with pytest.raises(kind):
        await voices.speak(words, VOICE)
    assert await voices.speak("Bonjour.", VOICE)


async def test_a_server_that_hangs_is_given_up(url: str) -> None:
    voices = FirstSpeaker([speaker("tts", url)], CallSlots(1, 1), timeout_s=0.2)
    with pytest.raises(SilentServerError):
        await voices.speak("hang", VOICE)
    await voices.aclose()


async def test_a_refusal_is_told_in_the_servers_words(url: str) -> None:
    sidecar = speaker("tts", url)
    with pytest.raises(UpstreamError) as refused:
        await sidecar.speak("refuse", VOICE)
    detail = str(refused.value.data["detail"])
    assert detail.startswith("/tts returned 500: Internal Server Error — The server had an error")
    await sidecar.aclose()


async def test_nobody_there_is_told() -> None:
    sidecar = speaker("tts", "http://127.0.0.1:9")
    with pytest.raises(UnreachableServerError):
        await sidecar.speak("Bonjour.", VOICE)
    await sidecar.aclose()


async def test_the_sidecar_gets_what_the_contract_says(url: str) -> None:
    sidecar = speaker("tts", url)
    await sidecar.speak("Bonjour.", VOICE)
    assert (await asked(url))["body"] == {
        "text": "Bonjour.",
        "persona": "schaeffer",
        "speaker": "",
        "instruct": "",
        "language": "fr",
    }
    await sidecar.aclose()


async def test_the_cloning_server_gets_the_sample(url: str) -> None:
    cloning = speaker("clone", url)
    await cloning.speak("Bonjour.", VOICE)
    body = (await asked(url))["body"]
    assert base64.b64decode(body["reference"]) == VOICE.sample
    assert (body["text"], body["language"]) == ("Bonjour.", "fr")
    with pytest.raises(NoVoiceError):
        await cloning.speak("Bonjour.", Voice("fr_FR-siwis-medium"))
    await cloning.aclose()


async def sound_of(url: str, words: str) -> bytes:
    sidecar = speaker("tts", url)
    try:
        return await sidecar.speak(words, VOICE)
    finally:
        await sidecar.aclose()


def ears(url: str, language: str = "fr", timeout_s: float = 30) -> OpenAITranscriber:
    server = SpeechServer("/audio/transcriptions", f"{url}/v1")
    return OpenAITranscriber(
        server, "whisper-1", language, slots=CallSlots(2, 2), timeout_s=timeout_s
    )


async def test_a_server_hears_what_it_said() -> None:
    async with speech() as url:
        said = await sound_of(url, "Bonjour Marie.")
        listener = ears(url)
        heard = await listener.transcribe(said)
        assert (heard.text, heard.language, heard.model) == ("Bonjour Marie.", "fr", "whisper-1")
        assert heard.duration_s > 0.3
        await listener.aclose()


async def test_a_server_is_not_asked_about_silence() -> None:
    async with speech('[[answer]]\ntask = "transcription"\ntext = "Merci."') as url:
        listener = ears(url)
        assert (await listener.transcribe(silence(1))).text == ""
        assert (await asked_about(url)) == []
        await listener.aclose()


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ("http", UpstreamError),
        ("cut", CutAnswerError),
        ("not_audio", OddAnswerError),
        ("hang", SilentServerError),
    ],
)
async def test_ears_that_fail_are_told(error: str, kind: type[UpstreamError]) -> None:
    async with speech(f'[[answer]]\ntask = "transcription"\nerror = "{error}"') as url:
        said = await sound_of(url, "Bonjour.")
        listener = ears(url, timeout_s=0.5)
        with pytest.raises(kind):
            await listener.transcribe(said)
        await listener.aclose()


async def test_a_server_without_verbose_answers_is_asked_for_plain_ones() -> None:
    script = """
    [[answer]]
    task = "transcription"
    error = "http"
    status = 400
    times = 1

    [[answer]]
    task = "transcription"
    text = "Oui."
    """
    async with speech(script) as url:
        said = await sound_of(url, "Bonjour.")
        listener = ears(url, language="")
        assert (await listener.transcribe(said)).text == "Oui."
        await listener.aclose()


async def test_a_language_that_is_told_by_its_name_is_told_by_its_letters() -> None:
    async with speech() as url:
        said = await sound_of(url, "Bonjour Marie.")
        listener = ears(url, language="")
        assert (await listener.transcribe(said)).language == "fr"
        await listener.aclose()


async def test_what_nobody_said_is_not_believed_of_a_server_either() -> None:
    text = "Sous-titres réalisés par la communauté d'Amara.org"
    async with speech(f'[[answer]]\ntask = "transcription"\ntext = "{text}"') as url:
        said = await sound_of(url, "Bonjour.")
        listener = ears(url)
        assert (await listener.transcribe(said)).text == ""
        await listener.aclose()


async def asked_about(url: str) -> list[str]:
    async with httpx2.AsyncClient() as http:
        told = (await http.get(f"{url}/sim/requests")).json()
    calls = told["requests"] if isinstance(told, dict) else told
    return [call["path"] for call in calls]
