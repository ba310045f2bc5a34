"""What personas are made after, over HTTP (seed 000 §15, §16)."""

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import BaseModel, Field
from starlette.requests import Request

from palabre.core.auth.model import Permission
from palabre.core.editorial.limits import (
    MAX_REFERENCE_CHARS,
    MAX_REFERENCES,
    MAX_SOURCE_CHARS,
    MAX_SUBJECT_CHARS,
)
from palabre.core.editorial.model import Source
from palabre.core.editorial.sources import SourceChange, Sources
from palabre.surfaces.admin.personas import SeedBody
from palabre.surfaces.http.envelope import Envelope, refusals, told
from palabre.surfaces.http.gate import Gate, actor_of

PATH = "/api/admin/personas/{persona_id}/source"
Reference = Annotated[str, Field(max_length=MAX_REFERENCE_CHARS)]
References = Annotated[list[Reference], Field(max_length=MAX_REFERENCES)]


class UpdateSource(SeedBody):
    """What a persona is made after (`updatePersonaSourceSchema`)."""

    subject_name: str = Field(default="", max_length=MAX_SUBJECT_CHARS, alias="subjectName")
    summary: str = Field(default="", max_length=MAX_SOURCE_CHARS)
    references: References = Field(default=[])


class SourceRecord(BaseModel):
    """What a persona is made after."""

    personaId: str  # noqa: N815
    subjectName: str  # noqa: N815
    summary: str
    references: list[str]


@dataclass(frozen=True, slots=True)
class PersonaSourceRoutes:
    """Tells what personas are made after, and lets editors say it."""

    sources: Sources
    gate: Gate

    def router(self) -> APIRouter:
        """Return the routes."""
        router = APIRouter(tags=["personas"])
        router.add_api_route(
            PATH,
            self._source,
            methods=["GET"],
            summary="Show what a persona is made after",
            response_model=Envelope[SourceRecord],
            responses=refusals(404),
            dependencies=[self.gate.admin_needs(Permission.PERSONA_READ)],
        )
        router.add_api_route(
            PATH,
            self._set_source,
            methods=["PUT"],
            summary="Say what a persona is made after",
            response_model=Envelope[SourceRecord],
            responses=refusals(404),
            dependencies=[self.gate.admin_needs(Permission.PERSONA_WRITE)],
        )
        return router

    async def _source(self, persona_id: str) -> Any:
        return told(_sourced(await self.sources.of(persona_id)))

    async def _set_source(self, persona_id: str, body: UpdateSource, request: Request) -> Any:
        given = body.given()
        if "references" in given:
            given["references"] = tuple(given["references"])
        change = SourceChange(**given)
        return told(_sourced(await self.sources.change(actor_of(request), persona_id, change)))


def _sourced(source: Source) -> SourceRecord:
    return SourceRecord(
        personaId=source.persona_id,
        subjectName=source.subject_name,
        summary=source.summary,
        references=list(source.references),
    )
