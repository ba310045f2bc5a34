"""Ears of servers that speak the OpenAI protocol."""

import asyncio
from http import HTTPStatus

import msgspec

from palabre.adapters.speech.ears import is_silent
from palabre.adapters.speech.servers import RefusedError, SpeechServer
from palabre.adapters.speech.wav import read_wav
from palabre.core.models.errors import OddAnswerError, SilentServerError
from palabre.core.models.slots import CallSlots
from palabre.core.speech.gate import Phrase, believed
from palabre.core.speech.model import Transcript

PATH = "/audio/transcriptions"

LANGUAGES = {"english": "en", "french": "fr", "german": "de", "italian": "it", "spanish": "es"}
"""Servers tell the name of the language, or its letters."""

NO_SUCH_FORMAT = {HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY}


class _Segment(msgspec.Struct):
    text: str = ""
    avg_logprob: float | None = None
    no_speech_prob: float | None = None
    compression_ratio: float | None = None


class _Answer(msgspec.Struct):
    text: str
    language: str | None = None
    duration: float | None = None
    segments: list[_Segment] | None = None


class OpenAITranscriber:
    """A server with `POST /audio/transcriptions`.

    Args:
        server: At an address up to and with `/v1`.
        model: The server's name of the model.
        language: Two letters; empty lets the server recognise it.
        slots: Recordings at once; more wait.
        timeout_s: Longest transcription, counted from when it has its slot.
    """

    def __init__(
        self,
        server: SpeechServer,
        model: str,
        language: str,
        *,
        slots: CallSlots,
        timeout_s: float,
    ) -> None:
        self.name = server.name
        self._server = server
        self._model = model
        self._language = language
        self._slots = slots
        self._timeout_s = timeout_s

    async def transcribe(self, wav: bytes, language: str = "") -> Transcript:
        """Return what is said in *wav*; see `Transcriber.transcribe`."""
        told = language or self._language
        async with self._slots.hold():
            sound = await asyncio.to_thread(read_wav, wav)
            silence = "", told
            text, heard = silence if is_silent(sound) else await self._asked_in_time(wav, told)
        return Transcript(text, heard, self._model, round(sound.duration_s, 3))

    async def aclose(self) -> None:
        """Close the connections."""
        await self._server.aclose()

    async def _asked_in_time(self, wav: bytes, language: str) -> tuple[str, str]:
        try:
            async with asyncio.timeout(self._timeout_s):
                return await self._asked(wav, language)
        except TimeoutError:
            raise SilentServerError(service=self.name) from None

    async def _asked(self, wav: bytes, language: str) -> tuple[str, str]:
        """Return the words and their language; ask in plain JSON where that is all there is."""
        try:
            answer = await self._ask(wav, language, "verbose_json")
        except RefusedError as error:
            if error.status not in NO_SUCH_FORMAT:
                raise
            answer = await self._ask(wav, language, "json")
        phrases = [
            Phrase(each.text, each.avg_logprob, each.no_speech_prob, each.compression_ratio)
            for each in answer.segments or [_Segment(answer.text)]
        ]
        told = (answer.language or "").lower()
        return believed(phrases), language or LANGUAGES.get(told, told)

    async def _ask(self, wav: bytes, language: str, response_format: str) -> _Answer:
        fields = {"model": self._model, "response_format": response_format, "temperature": "0"}
        if language:
            fields["language"] = language
        body = await self._server.post_file(PATH, wav, fields)
        try:
            return msgspec.json.decode(body, type=_Answer)
        except (msgspec.DecodeError, ValueError, RecursionError) as error:
            raise OddAnswerError(service=self.name, detail=str(error)) from error
