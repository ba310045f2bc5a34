"""The simulated speech server against OpenAI's shapes and the seed's, over a socket."""

import asyncio
import base64
import io
import wave
from collections.abc import AsyncIterator

import httpx2
import openai
import pytest

from palabre.testing.simulators import speech

ASK = {"model": "tts-1", "input": "Bonjour à toutes.", "voice": "alloy", "response_format": "wav"}
COMPOSE = {"prompt": "nappes lentes", "duration": 5}


@pytest.fixture
async def client() -> AsyncIterator[httpx2.AsyncClient]:
    async with speech() as url, httpx2.AsyncClient(base_url=url) as client:
        yield client


async def post(script: str, path: str, ask: object) -> httpx2.Response:
    async with speech(script) as url, httpx2.AsyncClient(base_url=url) as client:
        return await client.post(path, json=ask)


async def hear(client: httpx2.AsyncClient, file: bytes, **fields: str) -> httpx2.Response:
    files = {"file": ("parole.wav", file, "audio/wav")}
    data = {"model": "whisper-1"} | fields
    return await client.post("/v1/audio/transcriptions", files=files, data=data)


def seconds(file: bytes) -> float:
    with wave.open(io.BytesIO(file)) as reader:
        assert (reader.getnchannels(), reader.getsampwidth(), reader.getframerate()) == (
            1,
            2,
            24000,
        )
        return reader.getnframes() / reader.getframerate()


async def test_speech_is_a_wav_that_grows_with_the_text(client: httpx2.AsyncClient) -> None:
    short = await client.post("/v1/audio/speech", json=ASK)
    long = await client.post("/v1/audio/speech", json=ASK | {"input": "a" * 280})
    assert short.headers["content-type"] == "audio/wav"
    assert seconds(short.content) == pytest.approx(17 / 14, abs=0.05)
    assert seconds(long.content) == pytest.approx(20, abs=0.1)


async def test_pcm_is_the_samples_alone_and_speed_shortens(client: httpx2.AsyncClient) -> None:
    whole = await client.post("/v1/audio/speech", json=ASK)
    pcm = await client.post("/v1/audio/speech", json=ASK | {"response_format": "pcm"})
    fast = await client.post("/v1/audio/speech", json=ASK | {"speed": 2})
    assert pcm.headers["content-type"] == "audio/pcm"
    assert whole.content[44:] == pcm.content
    assert seconds(fast.content) == pytest.approx(seconds(whole.content) / 2, abs=0.05)


@pytest.mark.parametrize(
    ("change", "param"),
    [
        ({"response_format": "mp3"}, "response_format"),
        ({"speed": 5}, "speed"),
        ({"input": ""}, "input"),
        ({"input": "a" * 4097}, "input"),
        ({"voice": None}, "voice.str"),
    ],
)
async def test_wrong_speech_is_refused_in_openais_shape(
    client: httpx2.AsyncClient, change: dict[str, object], param: str
) -> None:
    response = await client.post("/v1/audio/speech", json=ASK | change)
    assert response.status_code == 400
    error = response.json()["error"]
    assert error.keys() == {"message", "type", "param", "code"}
    assert (error["type"], error["param"]) == ("invalid_request_error", param)


async def test_without_a_format_mp3_is_meant_and_refused(client: httpx2.AsyncClient) -> None:
    ask = {name: value for name, value in ASK.items() if name != "response_format"}
    assert (await client.post("/v1/audio/speech", json=ask)).status_code == 400


async def test_it_recognises_what_it_said_and_nothing_else(client: httpx2.AsyncClient) -> None:
    said = (await client.post("/v1/audio/speech", json=ASK)).content
    assert (await hear(client, said)).json() == {
        "text": "Bonjour à toutes.",
        "usage": {"type": "duration", "seconds": 1},
    }
    silence = said[:44] + bytes(len(said) - 44)
    assert (await hear(client, silence)).json()["text"] == ""


async def test_verbose_json_has_openais_fields(client: httpx2.AsyncClient) -> None:
    said = (await client.post("/tts", json={"text": "Un. Deux.", "persona": "batty"})).content
    heard = (await hear(client, said, response_format="verbose_json", language="fr")).json()
    assert heard.keys() == {"task", "language", "duration", "text", "segments", "usage"}
    assert (heard["task"], heard["language"], heard["text"]) == (
        "transcribe",
        "french",
        "Un. Deux.",
    )
    assert [segment["text"] for segment in heard["segments"]] == [" Un.", " Deux."]
    assert heard["segments"][0].keys() == {
        "id",
        "seek",
        "start",
        "end",
        "text",
        "tokens",
        "temperature",
        "avg_logprob",
        "compression_ratio",
        "no_speech_prob",
    }
    assert heard["segments"][1]["end"] == pytest.approx(seconds(said), abs=0.02)


@pytest.mark.parametrize(
    ("form", "begin"),
    [("text", "Bonjour"), ("srt", "1\n00:00:00,000 --> "), ("vtt", "WEBVTT\n\n00:00:00.000 --> ")],
)
async def test_other_forms_are_text(client: httpx2.AsyncClient, form: str, begin: str) -> None:
    said = (await client.post("/v1/audio/speech", json=ASK)).content
    heard = await hear(client, said, response_format=form)
    assert heard.headers["content-type"].startswith("text/plain")
    assert heard.text.startswith(begin)


async def test_wrong_transcriptions_are_refused(client: httpx2.AsyncClient) -> None:
    path = "/v1/audio/transcriptions"
    named = {"file": ("notes.pdf", b"x", "audio/wav")}
    answers = [
        await client.post(path, data={"model": "whisper-1"}),
        await client.post(path, files={"file": ("a.wav", b"x", "audio/wav")}),
        await client.post(path, files=named, data={"model": "whisper-1"}),
        await hear(client, b""),
        await hear(client, b"x", response_format="xml"),
    ]
    assert [answer.status_code for answer in answers] == [400] * 5
    assert "Supported formats" in answers[2].json()["error"]["message"]


async def test_the_script_says_what_is_heard_by_the_name_of_the_file() -> None:
    script = '[[answer]]\nwhen = "PAROLE"\ntext = "Il pleut."\nlanguage = "fr"'
    async with speech(script) as url, httpx2.AsyncClient(base_url=url) as client:
        assert (await hear(client, b"not even a wav")).json()["text"] == "Il pleut."


async def test_openais_own_client_speaks_and_is_heard() -> None:
    async with speech() as url, openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="x") as client:
        said = await client.audio.speech.create(
            model="tts-1", voice="alloy", input="Bonsoir.", response_format="wav"
        )
        file = ("a.wav", said.content, "audio/wav")
        heard = await client.audio.transcriptions.create(model="whisper-1", file=file)
        listed = await client.models.list()
    assert heard.text == "Bonsoir."
    assert [model.id for model in listed.data] == ["tts-1", "gpt-4o-mini-tts", "whisper-1"]


async def test_the_sidecar_speaks_for_a_persona(client: httpx2.AsyncClient) -> None:
    ask = {"text": "J'ai vu.", "persona": "batty", "speaker": None, "instruct": None}
    response = await client.post("/tts", json=ask)
    assert response.headers["content-type"] == "audio/wav"
    other = await client.post("/tts", json=ask | {"persona": "moorcock"})
    assert response.content != other.content
    assert (await client.post("/tts", json={"persona": "batty"})).status_code == 400


async def test_the_sidecar_composes_for_as_long_as_asked(client: httpx2.AsyncClient) -> None:
    response = await client.post("/compose", json=COMPOSE)
    assert response.headers["content-type"] == "audio/wav"
    assert seconds(response.content) == 5
    assert (await client.post("/compose", json=COMPOSE)).content == response.content
    assert (await client.post("/compose", json=COMPOSE | {"duration": 0})).status_code == 400


async def test_the_sidecar_clones_the_voice_of_a_wav(client: httpx2.AsyncClient) -> None:
    sample = (await client.post("/v1/audio/speech", json=ASK)).content
    ask = {"text": "Salut.", "reference": base64.b64encode(sample).decode(), "language": "fr"}
    cloned = await client.post("/clone", json=ask)
    assert seconds(cloned.content) == pytest.approx(6 / 14, abs=0.05)
    for wrong in ("***", base64.b64encode(b"no sound").decode()):
        refused = await client.post("/clone", json=ask | {"reference": wrong})
        assert refused.json()["error"]["param"] == "reference"


async def test_health_is_ok(client: httpx2.AsyncClient) -> None:
    assert (await client.get("/health")).json() == {"status": "ok"}


async def test_http_is_a_status_and_an_error_once() -> None:
    script = '[[answer]]\nerror = "http"\nstatus = 503\ntimes = 1'
    async with speech(script) as url, httpx2.AsyncClient(base_url=url) as client:
        answers = [await client.post("/v1/audio/speech", json=ASK) for _ in range(2)]
        ledger = (await client.get("/sim/requests")).json()
    assert [answer.status_code for answer in answers] == [503, 200]
    assert answers[0].json()["error"]["type"] == "server_error"
    assert [call["outcome"] for call in ledger["requests"]] == ["failed", "answered"]
    assert ledger["requests"][0]["body"] == ASK


async def test_busy_says_when_to_come_again() -> None:
    response = await post('[[answer]]\nerror = "busy"', "/compose", COMPOSE)
    assert (response.status_code, response.headers["retry-after"]) == (429, "2")


async def test_lying_promises_more_than_it_sends() -> None:
    response = await post('[[answer]]\nerror = "lying"', "/tts", {"text": "Bonjour."})
    assert response.content[40:44] == b"\xff\xff\xff\xff"
    assert len(response.content) < 100_000


async def test_not_audio_is_a_page_under_the_name_of_sound() -> None:
    response = await post('[[answer]]\nerror = "not_audio"', "/tts", {"text": "Bonjour."})
    assert response.headers["content-type"] == "audio/wav"
    assert response.content.startswith(b"<!DOCTYPE html>")


async def test_too_large_is_valid_sound_of_the_size_asked_for() -> None:
    script = 'large_bytes = 1000000\n[[answer]]\ntask = "compose"\nerror = "too_large"'
    response = await post(script, "/compose", COMPOSE)
    assert len(response.content) == 1_000_000
    assert seconds(response.content) == (1_000_000 - 44) / 48_000


async def test_cut_closes_the_connection_in_the_middle() -> None:
    with pytest.raises(httpx2.RemoteProtocolError):
        await post('[[answer]]\nerror = "cut"', "/v1/audio/speech", ASK)


async def test_hang_answers_nothing_and_the_client_that_leaves_is_counted() -> None:
    loop = asyncio.get_running_loop()
    script = '[[answer]]\nerror = "hang"'
    async with speech(script) as url, httpx2.AsyncClient(base_url=url) as client:
        with pytest.raises(httpx2.ReadTimeout):
            await client.post("/v1/audio/speech", json=ASK, timeout=0.3)
        deadline = loop.time() + 30
        while not (ledger := (await client.get("/sim/requests")).json())["cut_by_client"]:
            assert loop.time() < deadline, ledger
    assert ledger["running"] == 0


async def test_an_upload_stands_in_the_ledger_by_name_size_and_hash() -> None:
    async with speech() as url, httpx2.AsyncClient(base_url=url) as client:
        await hear(client, b"abc")
        (call,) = (await client.get("/sim/requests")).json()["requests"]
    assert call["body"]["model"] == "whisper-1"
    assert call["body"]["file"]["filename"] == "parole.wav"
    assert call["body"]["file"]["size_bytes"] == 3
    assert call["body"]["file"]["sha256"].startswith("ba7816bf")
