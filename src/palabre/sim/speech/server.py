"""The routes of the simulated speech server."""

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Callable

from starlette.applications import Starlette
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from palabre.sim.endpoint import CutResponse, hang, padded, routes
from palabre.sim.ledger import Call, Ledger, Uses
from palabre.sim.speech import requests, transcripts, wav
from palabre.sim.speech.requests import AUDIO_KINDS, read, refused
from palabre.sim.speech.script import Answer, Fault, Script, Task
from palabre.sim.speech.sound import compose, speak

WAV, PCM = "audio/wav", "audio/pcm"
PAGE = b"<!DOCTYPE html><html><body><h1>502 Bad Gateway</h1></body></html>"
REMEMBERED = 1000
"""Most sounds of its own that it recognises."""


class SpeechServer:
    """What was said, which rules are used up, and who asked what."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._uses = Uses()
        self._said: OrderedDict[str, str] = OrderedDict()
        self.ledger = Ledger()

    async def speech(self, _request: Request, call: Call) -> Response:
        """Answer `/v1/audio/speech`."""
        ask = read(call.body, requests.Speech)
        voice = ask.voice if isinstance(ask.voice, str) else ask.voice.get("id", "")
        rule = await self._rule(Task.SPEECH, ask.input, voice)
        samples = await self._spoken(ask.input, voice, ask.speed)
        if ask.response_format == "pcm":
            return await self._sent(rule, b"", samples, PCM)
        return await self._sounding(rule, samples)

    async def tts(self, _request: Request, call: Call) -> Response:
        """Answer `/tts`."""
        ask = read(call.body, requests.Tts)
        voice = ask.speaker or ask.persona
        rule = await self._rule(Task.SPEECH, ask.text, voice)
        return await self._sounding(rule, await self._spoken(ask.text, voice))

    async def clone(self, _request: Request, call: Call) -> Response:
        """Answer `/clone`: the voice follows from the reference."""
        ask = read(call.body, requests.Clone)
        voice = hashlib.sha256(ask.samples()).hexdigest()
        rule = await self._rule(Task.CLONE, ask.text, voice)
        return await self._sounding(rule, await self._spoken(ask.text, voice))

    async def compose(self, _request: Request, call: Call) -> Response:
        """Answer `/compose`."""
        ask = read(call.body, requests.Compose)
        rule = await self._rule(Task.COMPOSE, ask.prompt, "")
        return await self._sounding(rule, await _made(compose, ask.prompt, ask.duration))

    async def transcribe(self, request: Request, _call: Call) -> Response:
        """Answer `/v1/audio/transcriptions`."""
        form = await request.form()
        file, wanted = form.get("file"), form.get("response_format") or "json"
        if not isinstance(file, UploadFile):
            raise refused(400, "file: Field required", param="file")
        if not form.get("model"):
            raise refused(400, "you must provide a model parameter", param="model")
        if wanted not in transcripts.FORMATS:
            known = ", ".join(transcripts.FORMATS)
            raise refused(400, f"response_format: one of {known}", param="response_format")
        name = _audio_name(file.filename)
        rule = await self._rule(Task.TRANSCRIPTION, name, "")
        write, media_type = transcripts.FORMATS[str(wanted)]
        heard = self._heard(rule, await file.read(), form.get("language"))
        return await self._sent(rule, b"", write(heard).encode(), media_type)

    async def models(self, _request: Request, _call: Call) -> Response:
        """Answer `/v1/models`."""
        owned = {"object": "model", "created": 1_760_000_000, "owned_by": "palabre"}
        listed = [{"id": name, **owned} for name in self._script.model]
        return JSONResponse({"object": "list", "data": listed})

    async def health(self, _request: Request, _call: Call) -> Response:
        """Answer `/health`."""
        return JSONResponse({"status": "ok"})

    async def _rule(self, task: Task, words: str, voice: str) -> Answer:
        rules = self._script.answer
        rule = self._uses.take(rules, [rule.fits(task, words, voice) for rule in rules])
        rule = rule or Answer()
        await asyncio.sleep(self._script.delay_s if rule.delay_s is None else rule.delay_s)
        if rule.error is Fault.HTTP:
            raise refused(rule.status, "The server had an error while processing your request")
        if rule.error is Fault.BUSY:
            busy = refused(429, "Too many requests")
            busy.response.headers["Retry-After"] = "2"
            raise busy
        return rule

    async def _spoken(self, text: str, voice: str, speed: float = 1.0) -> bytes:
        samples = await _made(speak, text, voice, self._script.chars_per_s * speed)
        self._said[_digest(samples)] = text
        while len(self._said) > REMEMBERED:
            self._said.popitem(last=False)
        return samples

    def _heard(self, rule: Answer, file: bytes, language: object) -> transcripts.Heard:
        if not file:
            raise refused(400, "Audio file is too short. Minimum audio length is 0.1 seconds.")
        samples, duration_s = wav.samples_of(file) or (file, 0.0)
        text = self._said.get(_digest(samples), "") if rule.text is None else rule.text
        spoken = language if isinstance(language, str) and language else rule.language
        return transcripts.Heard(text, spoken, duration_s)

    async def _sounding(self, rule: Answer, samples: bytes) -> Response:
        sizes = {
            Fault.LYING: wav.PROMISED_BYTES,
            Fault.TOO_LARGE: self._script.large_bytes - len(wav.header(0)),
        }
        size = len(samples) if rule.error is None else sizes.get(rule.error, len(samples))
        return await self._sent(rule, wav.header(size), samples, WAV)

    async def _sent(self, rule: Answer, head: bytes, body: bytes, media_type: str) -> Response:
        if rule.error is Fault.HANG:
            return await hang()
        if rule.error is Fault.CUT:
            return CutResponse(head + body, media_type=media_type)
        if rule.error is Fault.NOT_AUDIO:
            return Response(PAGE, media_type=media_type)
        if rule.error is Fault.TOO_LARGE and media_type in {WAV, PCM}:
            return padded(head + body, bytes(2), self._script.large_bytes, media_type)
        return Response(head + body, media_type=media_type)


def create_app(script: Script | None = None) -> Starlette:
    """Return the simulated speech server as an ASGI application."""
    server = SpeechServer(script or Script())
    table = [
        ("POST", "/v1/audio/speech", server.speech),
        ("POST", "/v1/audio/transcriptions", server.transcribe),
        ("GET", "/v1/models", server.models),
        ("POST", "/tts", server.tts),
        ("POST", "/clone", server.clone),
        ("POST", "/compose", server.compose),
        ("GET", "/health", server.health),
    ]
    return Starlette(routes=[*routes(server.ledger, table), server.ledger.route()])


async def _made(make: Callable[..., bytes], *details: str | float) -> bytes:
    """Make sound in a thread, so that the other calls go on meanwhile."""
    return await asyncio.to_thread(make, *details)


def _digest(samples: bytes) -> str:
    return hashlib.sha256(samples).hexdigest()


def _audio_name(name: str | None) -> str:
    if not name or name.rpartition(".")[2].casefold() not in AUDIO_KINDS:
        known = ", ".join(f"'{kind}'" for kind in AUDIO_KINDS)
        raise refused(400, f"Invalid file format. Supported formats: [{known}]", param="file")
    return name
