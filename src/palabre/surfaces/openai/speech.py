"""`POST /v1/audio/speech`: words are said aloud, sentence by sentence."""

import asyncio
import io
import re
import wave
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated, Any, Literal

from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from palabre.core.auth.api_keys import ApiKey
from palabre.core.speech.errors import NothingToSayError
from palabre.core.speech.model import Voice
from palabre.core.speech.segmenter import SentenceSegmenter
from palabre.core.speech.voices import voice_of
from palabre.kernel.text import text
from palabre.surfaces.openai.errors import ParameterInvalidError, SpeechOffError
from palabre.surfaces.openai.json_body import Body, Harmless, Name, checked, read_json
from palabre.surfaces.openai.ports import Ports

RATE_HZ = 24_000
"""Of `pcm`, as the protocol says: 16 bit, one channel; `wav` has the same."""

MAX_INPUT_CHARS = 4096
"""As the protocol says."""

PIECE_CHARS = 500
"""Of a text that are looked through for sentences at once."""

REFUSED: Harmless = {"speed": (1,), "stream_format": ("audio",)}

_VOICE = re.compile(r"(?:fr|en)_[A-Z]{2}-[a-z0-9_]+-[a-z_]+")
"""Voices of the seed's table, such as `fr_FR-siwis-medium` (seed 000 §7)."""


class SpeechBody(Body):
    """What is asked. Without a format it is `wav`: nothing here makes `mp3`."""

    input: Annotated[str, Field(min_length=1, max_length=MAX_INPUT_CHARS)]
    voice: Name
    response_format: Literal["wav", "pcm"] = "wav"


class SpeechRoute:
    """Lets personas, or voices, say a text."""

    def __init__(self, ports: Ports) -> None:
        self._ports = ports

    async def read(self, request: Request) -> SpeechBody:
        """Return what is asked."""
        raw = await read_json(request)
        _check_format(raw.get("response_format"))
        return checked(raw, SpeechBody, REFUSED)

    async def answer(self, body: SpeechBody, _key: ApiKey) -> ASGIApp:
        """Say it: `pcm` as it is made, `wav` whole, because it begins with its length."""
        voice = self._voice(body.voice)
        sentences = _sentences(body.input)
        if not sentences:
            raise NothingToSayError
        pieces = self._said(sentences, voice)
        if body.response_format == "pcm":
            return _PcmStream(pieces)
        async with aclosing(pieces) as said:
            samples = b"".join([piece async for piece in said])
        return Response(as_wav(samples), media_type="audio/wav")

    async def _said(self, sentences: list[str], voice: Voice) -> AsyncGenerator[bytes]:
        speaker, samples_at = self._ports.speaker, self._ports.samples_at
        if speaker is None:
            raise SpeechOffError
        spoke = False
        for sentence in sentences:
            try:
                wav = await speaker.speak(sentence, voice)
            except NothingToSayError:
                continue
            spoke = True
            yield await asyncio.to_thread(samples_at, wav, RATE_HZ)
        if not spoke:
            raise NothingToSayError

    def _voice(self, name: str) -> Voice:
        if (persona := self._ports.cast().named(name)) is not None:
            return voice_of(persona)
        if _VOICE.fullmatch(name):
            return Voice(name)
        known = ", ".join(each.id for each in self._ports.cast().personas)
        raise ParameterInvalidError("voice", text("api.value.voice", known=known))


class _PcmStream:
    """A response that sends samples as they are made, the first of them before its status."""

    def __init__(self, pieces: AsyncGenerator[bytes]) -> None:
        self._pieces = pieces

    async def __call__(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        headers = [(b"content-type", b"audio/pcm")]
        async with aclosing(self._pieces) as pieces:
            first = await anext(pieces)
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await send({"type": "http.response.body", "body": first, "more_body": True})
            async for piece in pieces:
                await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


def as_wav(samples: bytes) -> bytes:
    """Return *samples* (16 bit, one channel, `RATE_HZ`) as a WAV."""
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(2)
        writer.setframerate(RATE_HZ)
        writer.writeframes(samples)
    return file.getvalue()


def _check_format(wished: Any) -> None:
    if wished not in (None, "wav", "pcm"):
        raise ParameterInvalidError("response_format", text("api.value.sound_format"))


def _sentences(words: str) -> list[str]:
    segmenter, sentences = SentenceSegmenter(), list[str]()
    for start in range(0, len(words), PIECE_CHARS):
        sentences += segmenter.feed(words[start : start + PIECE_CHARS])
    return [*sentences, *segmenter.finish()]
