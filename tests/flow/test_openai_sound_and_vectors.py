"""Vectors, voices and ears for programs: `/v1/embeddings` and `/v1/audio`."""

import base64
import io
import math
import wave

import openai
import pytest
from tests.support.programs import program

from palabre.testing.speech import silence


async def test_texts_become_vectors_in_both_encodings() -> None:
    async with program() as asked:
        texts = ["un", "deux"]
        for encoding in ("float", "base64"):
            told = await asked.client.embeddings.create(
                model="nomic-embed-text", input=texts, encoding_format=encoding
            )
            assert [each.index for each in told.data] == [0, 1]
            vectors = [
                each.embedding
                if encoding == "float"
                else list(memoryview(base64.b64decode(each.embedding)).cast("f"))
                for each in told.data
            ]
            assert [vector[0] for vector in vectors] == [2.0, 4.0]
        default = await asked.client.embeddings.create(model="default", input="un")
        assert default.data[0].embedding == [2.0, 0.0, 0.0, 0.0]
        assert default.model == "ollama/nomic-embed-text"
        assert default.usage.prompt_tokens == 1


@pytest.mark.parametrize(
    ("wish", "param"),
    [
        ({"input": []}, "input"),
        ({"input": ""}, "input"),
        ({"input": [1, 2]}, "input"),
        ({"input": [[1, 2]]}, "input"),
        ({"input": ["x"] * 257}, "input"),
        ({"dimensions": 3}, "dimensions"),
        ({"model": "text-embedding-3-small"}, "model"),
    ],
)
async def test_what_makes_no_vectors_is_refused(wish: dict, param: str) -> None:
    async with program() as asked:
        with pytest.raises((openai.BadRequestError, openai.NotFoundError)) as caught:
            await asked.client.embeddings.create(**{"model": "default", "input": "x"} | wish)
        assert caught.value.param.startswith(param)


async def test_dimensions_that_the_model_has_anyway_are_taken() -> None:
    async with program() as asked:
        told = await asked.client.embeddings.create(model="default", input="un", dimensions=4)
        assert len(told.data[0].embedding) == 4


async def test_a_persona_is_heard_sentence_by_sentence() -> None:
    async with program() as asked:
        words = "Bonjour à toutes et à tous. Comment allez-vous ?"
        told = await asked.client.audio.speech.create(
            model="tts-1", voice="schaeffer", input=words, response_format="wav"
        )
        with wave.open(io.BytesIO(told.content)) as sound:
            duration_s = sound.getnframes() / sound.getframerate()
            assert (sound.getframerate(), sound.getnchannels(), sound.getsampwidth()) == (
                24_000,
                1,
                2,
            )
        said = [each for each, _ in asked.speaker.said]
        assert said == ["Bonjour à toutes et à tous.", "Comment allez-vous ?"]
        assert math.isclose(duration_s, sum(map(len, said)) / 10, abs_tol=0.01)
        assert {voice.speaker for _, voice in asked.speaker.said} == {"Schaeffer"}
        pcm = await asked.client.audio.speech.create(
            model="tts-1",
            voice="fr_FR-siwis-medium",
            input="Bonjour à tous.",
            response_format="pcm",
        )
        assert len(pcm.content) == 2 * 24_000 * 1.5


@pytest.mark.parametrize(
    ("wish", "param"),
    [
        ({"response_format": "mp3"}, "response_format"),
        ({"voice": "alloy"}, "voice"),
        ({"speed": 2}, "speed"),
        ({"response_format": ["wav"]}, "response_format"),
        ({"input": ""}, "input"),
        ({"input": "x" * 4097}, "input"),
    ],
)
async def test_what_cannot_be_said_is_refused(wish: dict, param: str) -> None:
    async with program() as asked:
        usual = {"model": "x", "voice": "batty", "input": "Bonjour", "response_format": "wav"}
        with pytest.raises(openai.BadRequestError) as caught:
            await asked.client.audio.speech.create(**usual | wish)
        assert caught.value.param == param


async def test_signs_alone_are_nothing_to_say() -> None:
    async with program() as asked:
        with pytest.raises(openai.BadRequestError) as caught:
            await asked.client.audio.speech.create(
                model="x", voice="batty", input="!!!", response_format="pcm"
            )
        assert caught.value.code == "nothing_to_say"


async def test_a_recording_is_written_down_in_three_forms() -> None:
    async with program() as asked:
        hear = asked.client.audio.transcriptions.create
        file = ("a.wav", silence(0.5))
        plain = await hear(model="whisper-1", file=file)
        assert plain.text == "Bonjour à tous"
        assert (
            await hear(model="x", file=file, response_format="text")
        ).strip() == "Bonjour à tous"
        verbose = await hear(model="x", file=file, response_format="verbose_json", language="en")
        assert (verbose.text, verbose.language) == ("Bonjour à tous", "en")
        assert verbose.duration == 0.1
        assert asked.ears.languages == ["", "", "en"]


@pytest.mark.parametrize(
    ("wish", "param"),
    [
        ({"response_format": "srt"}, "response_format"),
        ({"language": "français"}, "language"),
        ({"file": ("a.txt", b"hello")}, "file"),
        ({"stream": True}, "stream"),
        ({"timestamp_granularities": ["word"]}, "timestamp_granularities[]"),
    ],
)
async def test_what_cannot_be_written_down_is_refused(wish: dict, param: str) -> None:
    async with program() as asked:
        usual = {"model": "x", "file": ("a.wav", silence())}
        with pytest.raises(openai.BadRequestError) as caught:
            await asked.client.audio.transcriptions.create(**usual | wish)
        assert caught.value.param == param
