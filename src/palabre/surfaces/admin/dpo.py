"""`GET /api/v2/export/dpo`: pairs of answers to train on (seed 000 §15, facts 3.2)."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Annotated

import msgspec
from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import StreamingResponse

from palabre.core.auth.model import Permission, Role
from palabre.core.editorial.desk import EditorialDesk
from palabre.core.editorial.opinions import Opinions
from palabre.core.editorial.pairs import Pair
from palabre.core.editorial.votes import hidden
from palabre.kernel.clock import Clock
from palabre.surfaces.http.envelope import refusals
from palabre.surfaces.http.gate import Gate, session_of

NDJSON = "application/x-ndjson"
MAX_ID_CHARS = 100


@dataclass(frozen=True, slots=True)
class DpoRoute:
    """Hands out the pairs of one persona, or of all."""

    desk: EditorialDesk
    opinions: Opinions
    clock: Clock
    gate: Gate

    def router(self) -> APIRouter:
        """Return the route."""
        router = APIRouter(tags=["export"])
        router.add_api_route(
            "/api/v2/export/dpo",
            self._export,
            methods=["GET"],
            summary="Export pairs of answers, of which people like one better",
            response_class=StreamingResponse,
            responses={200: {"content": {NDJSON: {}}}, **refusals(404)},
            dependencies=[self.gate.needs(Permission.PERSONA_READ)],
        )
        return router

    async def _export(
        self,
        request: Request,
        persona_id: Annotated[str, Query(max_length=MAX_ID_CHARS)] = "",
    ) -> StreamingResponse:
        """Send one `{prompt, chosen, rejected, persona_id}` a line.

        A viewer is told how long the texts are, not what they say.
        """
        if persona_id:
            await self.desk.persona(persona_id)
        hides = session_of(request).role is Role.VIEWER
        name = f"dpo-pairs-{self.clock.now():%Y-%m-%d}.jsonl"
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        pairs = self.opinions.pairs(persona_id or None)
        return StreamingResponse(_lines(pairs, hides=hides), media_type=NDJSON, headers=headers)


async def _lines(pairs: AsyncIterator[Pair], *, hides: bool) -> AsyncIterator[bytes]:
    async for pair in pairs:
        texts = (pair.prompt, pair.chosen, pair.rejected)
        prompt, chosen, rejected = map(hidden, texts) if hides else texts
        line = Pair(prompt, chosen, rejected, pair.persona_id)
        yield msgspec.json.encode(line) + b"\n"
