"""How much was said, by whom (seed 000 §15; shape in its facts, 3.2)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel

from palabre.core.auth.model import Permission
from palabre.core.history.service import History
from palabre.core.history.summary import summarise
from palabre.core.personas.model import Cast
from palabre.surfaces.http.envelope import Envelope, told
from palabre.surfaces.http.gate import Gate


class OfDay(BaseModel):
    """How much was said on a day."""

    date: str
    count: int


class OfPersona(BaseModel):
    """How much a persona said."""

    nick: str
    count: int


class Analytics(BaseModel):
    """Counts over the 30 newest days of which something is kept.

    Attributes:
        personaMessages: By nick.
        messagesPerDay: The newest first.
        topPersonas: At most ten, who said most first.
    """

    totalMessages: int  # noqa: N815  the wire's names
    totalDays: int  # noqa: N815
    personaMessages: dict[str, int]  # noqa: N815
    userMessages: int  # noqa: N815
    systemMessages: int  # noqa: N815
    uploadsCount: int  # noqa: N815
    messagesPerDay: list[OfDay]  # noqa: N815
    topPersonas: list[OfPersona]  # noqa: N815


@dataclass(frozen=True, slots=True)
class AnalyticsRoute:
    """Counts what was said.

    Attributes:
        cast: Returns all personas.
    """

    history: History
    cast: Callable[[], Cast]
    gate: Gate

    def router(self) -> APIRouter:
        """Return the route."""
        router = APIRouter(tags=["operations"])
        router.add_api_route(
            "/api/v2/analytics",
            self._analytics,
            methods=["GET"],
            summary="Count what was said",
            response_model=Envelope[Analytics],
            dependencies=[self.gate.needs(Permission.OPS_READ)],
        )
        return router

    async def _analytics(self) -> Any:
        nicks = {str(persona.nick) for persona in self.cast().personas}
        found = summarise(await self.history.counts(), nicks)
        days = sorted(found.per_day.items(), reverse=True)
        data = {
            "totalMessages": found.total,
            "totalDays": len(days),
            "personaMessages": dict(found.personas),
            "userMessages": found.users,
            "systemMessages": found.systems,
            "uploadsCount": found.uploads,
            "messagesPerDay": [{"date": d.isoformat(), "count": n} for d, n in days],
            "topPersonas": [{"nick": nick, "count": n} for nick, n in found.top],
        }
        return told(data)
