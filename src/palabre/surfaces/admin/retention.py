"""Delete what was said long ago (seed 000 §15, §16 `retentionSweepSchema`)."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from fastapi import APIRouter
from pydantic import BaseModel, Field
from starlette.requests import Request

from palabre.core.auth.model import Permission
from palabre.core.history.service import DEFAULT_MAX_AGE_DAYS, History
from palabre.surfaces.http.gate import Gate, actor_of
from palabre.surfaces.http.numbers import WHOLE


class SweepBody(BaseModel):
    """How old is too old.

    Attributes:
        maxAgeDays: Days before today (UTC) that are kept.
    """

    maxAgeDays: Annotated[int, Field(strict=True, ge=1, le=365), WHOLE] = DEFAULT_MAX_AGE_DAYS  # noqa: N815


class Sweep(BaseModel):
    """What was deleted.

    Attributes:
        deleted: Logs, each of a day.
        messages: Lines in them.
    """

    ok: Literal[True] = True
    deleted: int
    messages: int


@dataclass(frozen=True, slots=True)
class RetentionRoute:
    """Deletes old logs; for those who run the machine, from the administrators' network."""

    history: History
    gate: Gate

    def router(self) -> APIRouter:
        """Return the route."""
        router = APIRouter(tags=["history"])
        router.add_api_route(
            "/api/v2/admin/retention-sweep",
            self._sweep,
            methods=["POST"],
            summary="Delete what was said long ago",
            response_model=Sweep,
            dependencies=[self.gate.admin_needs(Permission.ENGINE_OPERATE)],
        )
        return router

    async def _sweep(self, request: Request, body: SweepBody = SweepBody()) -> Any:  # noqa: B008
        """Delete the logs of the days that are too old, never today's, and tell how many.

        What personas are told of their channels, and archives of summarised talks, stay.
        """
        swept = await self.history.sweep(actor_of(request), body.maxAgeDays)
        return {"ok": True, "deleted": swept.days, "messages": swept.messages}
