"""Our voices and ears of OpenAI's protocol against aimock, which others wrote."""

import base64
import json
from collections.abc import Iterator
from typing import Any

import pytest
from tests.support import peers
from tests.support.peers import running

from palabre.adapters.speech.server_ears import OpenAITranscriber
from palabre.adapters.speech.server_voices import OpenAISpeaker
from palabre.adapters.speech.servers import SpeechServer
from palabre.adapters.speech.voices import FirstSpeaker
from palabre.core.models.errors import OddAnswerError
from palabre.core.models.slots import CallSlots
from palabre.core.speech.model import Voice
from palabre.kernel.errors import UpstreamError
from palabre.testing.speech import sounding

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.timeout(60),
    pytest.mark.skipif(bool(peers.why_no_aimock()), reason=peers.why_no_aimock()),
]

VOICE = Voice("fr_FR-siwis-medium", "Schaeffer")
SOUND = sounding(b"\x00\x20\x00\xe0" * 4000)


def answers() -> list[dict[str, Any]]:
    def said(words: str, response: dict[str, Any]) -> dict[str, Any]:
        return {"match": {"userMessage": words, "endpoint": "speech"}, "response": response}

    def heard(model: str, transcription: dict[str, Any]) -> dict[str, Any]:
        match = {"model": model, "endpoint": "transcription"}
        return {"match": match, "response": {"transcription": transcription}}

    sure = {"id": 0, "start": 0, "end": 1, "text": " Bonjour Marie.", "avg_logprob": -0.2}
    unsure = {"id": 1, "start": 1, "end": 2, "text": " Merci.", "no_speech_prob": 0.95}
    segments = [{**sure, "no_speech_prob": 0.01}, {**unsure, "avg_logprob": -0.9}]
    wav = base64.b64encode(SOUND).decode()
    mp3 = base64.b64encode(b"ID3\x04" + bytes(200)).decode()
    return [
        said("bonjour", {"audio": wav, "format": "wav"}),
        said("mp3", {"audio": mp3, "format": "mp3"}),
        said("trop", {"status": 429, "error": {"message": "Slow down", "type": "server_error"}}),
        heard("plain", {"text": "Bonjour Marie."}),
        heard(
            "verbose",
            {"text": "Bonjour Marie. Merci.", "language": "french", "segments": segments},
        ),
    ]


@pytest.fixture(scope="module")
def aimock(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("aimock")
    fixtures = folder / "answers.json"
    fixtures.write_text(json.dumps({"fixtures": answers()}), encoding="utf-8")
    command = ["node", peers.AIMOCK, "--host", "127.0.0.1", "--port", "0", "-f", fixtures]
    with running(command, folder) as peer:
        yield f"{peer.url}/v1"


async def spoken(url: str, words: str) -> bytes:
    speaker = OpenAISpeaker(SpeechServer("aimock", url), "tts-1", "alloy")
    voices = FirstSpeaker([speaker], CallSlots(1, 1), timeout_s=10)
    try:
        return await voices.speak(words, VOICE)
    finally:
        await voices.aclose()


async def test_a_server_of_others_speaks(aimock: str) -> None:
    assert await spoken(aimock, "bonjour") == SOUND


async def test_sound_that_is_no_wav_is_refused(aimock: str) -> None:
    with pytest.raises(OddAnswerError):
        await spoken(aimock, "mp3")


async def test_a_refusal_is_told_in_its_words(aimock: str) -> None:
    with pytest.raises(UpstreamError) as refused:
        await spoken(aimock, "trop")
    assert "aimock returned 429: Too Many Requests — Slow down" in str(refused.value.data["detail"])


@pytest.mark.parametrize("model", ["plain", "verbose"])
async def test_a_server_of_others_listens(aimock: str, model: str) -> None:
    ears = OpenAITranscriber(
        SpeechServer("aimock", aimock), model, "fr", slots=CallSlots(1, 1), timeout_s=10
    )
    heard = await ears.transcribe(SOUND)
    assert heard.text == "Bonjour Marie."
    await ears.aclose()
