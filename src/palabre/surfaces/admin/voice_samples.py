"""Recordings that personas sound like, over HTTP (seed 000 §15, §16)."""

import asyncio
import base64
import binascii
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response

from palabre.core.auth.model import Permission
from palabre.core.editorial.desk import EditorialDesk
from palabre.core.editorial.errors import (
    SampleNotFoundError,
    SampleTooLargeError,
    SampleUnfitError,
)
from palabre.core.editorial.recordings import MAX_SAMPLE_BYTES, MIN_SAMPLE_S, Recordings
from palabre.surfaces.admin.personas import Deleted, SeedBody
from palabre.surfaces.http.envelope import MIB, Envelope, refusals, told
from palabre.surfaces.http.errors import refusal
from palabre.surfaces.http.gate import Gate, actor_of

PATH = "/api/admin/personas/{persona_id}/voice-sample"
WAV = "audio/wav"
MAX_SAMPLE_BODY_BYTES = 16 * MIB
PIECE_CHARS = 512 * 1024
"""Of base64 that are decoded at once; a multiple of four."""

TOO_LARGE = "file_too_large (max 10 MB)"
"""The existing program's word for it (facts of seed 000, 3.1)."""


class VoiceSample(SeedBody):
    """A WAV in base64 (`voiceSampleSchema`)."""

    audio: str = Field(min_length=1)


class SampleKept(BaseModel):
    """A voice sample was kept.

    Attributes:
        samplePath: Below the data dir.
        size: In bytes.
    """

    personaId: str  # noqa: N815
    samplePath: str  # noqa: N815
    size: int


class SampleFound(BaseModel):
    """Whether there is a voice sample."""

    hasVoiceSample: bool  # noqa: N815
    samplePath: str | None = None  # noqa: N815


@dataclass(frozen=True, slots=True)
class VoiceSampleRoutes:
    """Keeps, tells, plays and removes recordings.

    Attributes:
        find: Returns the recording of a nick, or None. It blocks.
    """

    desk: EditorialDesk
    recordings: Recordings
    find: Callable[[str], bytes | None]
    gate: Gate

    def router(self) -> APIRouter:
        """Return the routes."""
        router = APIRouter(tags=["editorial"])
        self._add_changes(router)
        read = [self.gate.admin_needs(Permission.PERSONA_READ)]
        router.add_api_route(
            PATH,
            self._sample,
            methods=["GET"],
            summary="Tell whether a persona has a recording to sound like",
            response_model=Envelope[SampleFound],
            response_model_exclude_none=True,
            responses=refusals(404),
            dependencies=read,
        )
        router.add_api_route(
            f"{PATH}.wav",
            self._sound,
            methods=["GET"],
            summary="Hear the recording that a persona sounds like",
            response_class=Response,
            responses={200: {"content": {WAV: {}}}, **refusals(404)},
            dependencies=read,
        )
        return router

    def _add_changes(self, router: APIRouter) -> None:
        write = [self.gate.admin_needs(Permission.PERSONA_WRITE)]
        router.add_api_route(
            PATH,
            self._put_sample,
            methods=["POST"],
            summary="Let a persona sound like a recording",
            response_model=Envelope[SampleKept],
            responses=refusals(404, 409),
            dependencies=write,
            max_body_size=MAX_SAMPLE_BODY_BYTES,
        )
        router.add_api_route(
            PATH,
            self._remove_sample,
            methods=["DELETE"],
            summary="Remove the recording of a persona",
            response_model=Envelope[Deleted],
            responses=refusals(404),
            dependencies=write,
        )

    async def _put_sample(self, persona_id: str, body: VoiceSample, request: Request) -> Any:
        """Keep a WAV of at most 10 MB."""
        try:
            wav = await asyncio.to_thread(_decoded, body.audio)
            path = await self.recordings.put(actor_of(request), persona_id, wav)
        except SampleTooLargeError as error:
            return refusal(400, TOO_LARGE, error.data)
        return told(SampleKept(personaId=persona_id, samplePath=path, size=len(wav)))

    async def _sample(self, persona_id: str) -> Any:
        path = await self.recordings.find(persona_id)
        return told(SampleFound(hasVoiceSample=path is not None, samplePath=path))

    async def _remove_sample(self, persona_id: str, request: Request) -> Any:
        await self.recordings.remove(actor_of(request), persona_id)
        return told(Deleted())

    async def _sound(self, persona_id: str) -> Response:
        """Play it. An addition to the seed, which tells only where it is."""
        persona = (await self.desk.persona(persona_id)).persona
        sound = await asyncio.to_thread(self.find, persona.nick)
        if sound is None:
            raise SampleNotFoundError(persona=persona.id)
        return Response(sound, media_type=WAV, headers={"Cache-Control": "no-store"})


def _decoded(audio: str) -> bytes:
    """Return the bytes of *audio*, base64, perhaps behind `data:audio/wav;base64,`."""
    words = audio.partition(",")[2] if audio.startswith("data:") else audio
    if len(words) > MAX_SAMPLE_BYTES * 4 // 3 + 4:
        raise SampleTooLargeError(limit_mb=MAX_SAMPLE_BYTES // MIB)
    try:
        # In pieces: each keeps the event loop's thread waiting for its length.
        starts = range(0, len(words), PIECE_CHARS)
        pieces = [base64.b64decode(words[at : at + PIECE_CHARS], validate=True) for at in starts]
        return b"".join(pieces)
    except (binascii.Error, ValueError) as error:
        raise SampleUnfitError(detail="base64", least_s=MIN_SAMPLE_S) from error
