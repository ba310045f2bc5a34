"""The recording that a persona sounds like, to be heard."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from fastapi import APIRouter
from starlette.responses import Response

from palabre.core.auth.model import Permission
from palabre.core.editorial.desk import EditorialDesk
from palabre.core.editorial.errors import SampleNotFoundError
from palabre.surfaces.http.envelope import refusals
from palabre.surfaces.http.gate import Gate

WAV = "audio/wav"


@dataclass(frozen=True, slots=True)
class SampleSoundRoute:
    """Lets editors hear what they kept. An addition to the seed, whose route says only where it is.

    Attributes:
        find: Returns the recording of a nick, or None. It blocks.
    """

    desk: EditorialDesk
    find: Callable[[str], bytes | None]
    gate: Gate

    def router(self) -> APIRouter:
        """Return the route."""
        router = APIRouter(tags=["editorial"])
        router.add_api_route(
            "/api/admin/personas/{persona_id}/voice-sample.wav",
            self._sound,
            methods=["GET"],
            summary="Hear the recording that a persona sounds like",
            response_class=Response,
            responses={200: {"content": {WAV: {}}}, **refusals(404)},
            dependencies=[self.gate.admin_needs(Permission.PERSONA_READ)],
        )
        return router

    async def _sound(self, persona_id: str) -> Response:
        persona = (await self.desk.persona(persona_id)).persona
        sound = await asyncio.to_thread(self.find, persona.nick)
        if sound is None:
            raise SampleNotFoundError(persona=persona_id[:100])
        return Response(sound, media_type=WAV, headers={"Cache-Control": "no-store"})
