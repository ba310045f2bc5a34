"""The last errors over HTTP (seed 000 §15; shape in its facts, 3.2)."""

from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel

from palabre.core.auth.model import Permission
from palabre.core.telemetry.ports import ErrorLog, ErrorSeen
from palabre.surfaces.http.envelope import Envelope, told
from palabre.surfaces.http.gate import Gate

SHOWN_ERRORS = 50


class ErrorTold(BaseModel):
    """One error, without anything that a user wrote.

    Attributes:
        stack: The innermost call first; at most three lines.
        context: `reference`, if a user was told one.
    """

    timestamp: str
    label: str
    message: str
    stack: str
    context: dict[str, str]


class Errors(BaseModel):
    """The last errors, the newest first, and how many there were since the start, by label."""

    recent: list[ErrorTold]
    counts: dict[str, int]


@dataclass(frozen=True, slots=True)
class ErrorsRoute:
    """Tells what went wrong. Nobody, of whatever role, reads there what was said in a room."""

    errors: ErrorLog
    gate: Gate

    def router(self) -> APIRouter:
        """Return the route."""
        router = APIRouter(tags=["operations"])
        router.add_api_route(
            "/api/v2/errors",
            self._errors,
            methods=["GET"],
            summary="List the last errors",
            response_model=Envelope[Errors],
            dependencies=[self.gate.needs(Permission.OPS_READ)],
        )
        return router

    async def _errors(self) -> Any:
        recent = [_told(error) for error in self.errors.recent()[:SHOWN_ERRORS]]
        return told({"recent": recent, "counts": self.errors.counts()})


def _told(error: ErrorSeen) -> dict[str, Any]:
    return {
        "timestamp": error.at.isoformat(),
        "label": error.label,
        "message": error.message,
        "stack": "\n".join(error.stack),
        "context": {"reference": error.reference} if error.reference else {},
    }
