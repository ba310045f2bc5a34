"""Personas over HTTP: who there is, and what editors do to them (seed 000 §15, §16)."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request

from palabre.core.auth.model import Permission
from palabre.core.editorial.desk import EditorialDesk
from palabre.core.editorial.limits import (
    MAX_MODEL_CHARS,
    MAX_NAME_CHARS,
    MAX_SUMMARY_CHARS,
)
from palabre.core.editorial.model import DeskPersona, Origin
from palabre.core.editorial.traits import Traits
from palabre.core.personas.limits import MAX_NAME, MAX_PROMPT, MAX_TOKENS
from palabre.surfaces.http.envelope import Envelope, refusals, told
from palabre.surfaces.http.gate import Gate, actor_of
from palabre.surfaces.http.numbers import WHOLE

ONE_LINE = r"^[^\x00-\x1f\x7f-\x9f]*$"

Name = Annotated[str, Field(min_length=1, max_length=MAX_NAME_CHARS)]
Model = Annotated[str, Field(min_length=1, max_length=MAX_MODEL_CHARS, pattern=ONE_LINE)]
Summary = Annotated[str, Field(max_length=MAX_SUMMARY_CHARS)]
Prompt = Annotated[str, Field(max_length=MAX_PROMPT)]
Color = Annotated[str, Field(pattern=r"^#[0-9a-fA-F]{6}$")]
Voice = Annotated[str, Field(max_length=MAX_NAME, pattern=ONE_LINE)]
MaxTokens = Annotated[int, Field(ge=0, le=MAX_TOKENS), WHOLE]


class SeedBody(BaseModel):
    """What is absent stays as it is; null is no value (as the seed's schemas have it)."""

    model_config = ConfigDict(strict=True, populate_by_name=True)

    def given(self) -> dict[str, Any]:
        """Return what was sent."""
        return self.model_dump(exclude_unset=True)


class _Traits(SeedBody):
    model: Model = ""
    summary: Summary = ""
    enabled: bool = True
    prompt: Prompt = ""
    color: Color = ""
    voice: Voice = ""
    max_tokens: MaxTokens = Field(default=0, alias="maxTokens")


class CreatePersona(_Traits):
    """A new persona (`createPersonaSchema`).

    Attributes:
        prompt: What a model is told; without one, its name and summary.
        maxTokens: Longest answer; 0 for no limit.
    """

    name: Name


class UpdatePersona(_Traits):
    """What changes of a persona (`updatePersonaSchema`); an empty summary takes it away."""

    name: Name = ""


class TogglePersona(SeedBody):
    """Whether a persona speaks (`togglePersonaSchema`); absent turns that round."""

    enabled: bool = True


class PersonaRecord(BaseModel):
    """A persona.

    Attributes:
        editable: True: editors may change each.
        enabled: Whether it speaks.
        nick: What the rooms call it.
        origin: From a file (`shipped`), made by an editor (`created`), or edited while its file
            has gone since (`orphan`): such a one does not speak.
        edited: Whether an editor changed anything.
        maxTokens: Longest answer; 0 for no limit.
    """

    id: str
    name: str
    model: str
    summary: str
    editable: bool
    enabled: bool
    nick: str
    color: str
    voice: str
    maxTokens: int  # noqa: N815  the wire's names
    origin: Origin
    edited: bool


class PersonaDetail(PersonaRecord):
    """A persona with all that a model is told.

    Attributes:
        prompt: As it is told, with the editors' direction.
    """

    prompt: str


class Deleted(BaseModel):
    """It is gone."""

    deleted: Literal[True] = True


@dataclass(frozen=True, slots=True)
class PersonaRoutes:
    """Who there is, for every session; changes for editors.

    Attributes:
        default_model: Of new personas that wish for none.
    """

    desk: EditorialDesk
    gate: Gate
    default_model: str

    def router(self) -> APIRouter:
        """Return the routes."""
        router = APIRouter(tags=["personas"])
        session = [self.gate.needs()]
        router.add_api_route(
            "/api/personas",
            self._list,
            methods=["GET"],
            summary="List personas",
            response_model=Envelope[list[PersonaRecord]],
            dependencies=session,
        )
        router.add_api_route(
            "/api/personas/{persona_id}",
            self._show,
            methods=["GET"],
            summary="Show a persona",
            response_model=Envelope[PersonaDetail],
            responses=refusals(404),
            dependencies=session,
        )
        self._add_changes(router)
        return router

    def _add_changes(self, router: APIRouter) -> None:
        admin = "/api/admin/personas"
        write = [self.gate.admin_needs(Permission.PERSONA_WRITE)]
        router.add_api_route(
            admin,
            self._create,
            methods=["POST"],
            status_code=201,
            summary="Create a persona",
            response_model=Envelope[PersonaDetail],
            responses=refusals(409),
            dependencies=write,
        )
        router.add_api_route(
            f"{admin}/{{persona_id}}",
            self._update,
            methods=["PUT"],
            summary="Change a persona",
            response_model=Envelope[PersonaDetail],
            responses=refusals(404, 409),
            dependencies=write,
        )
        router.add_api_route(
            f"{admin}/{{persona_id}}/toggle",
            self._toggle,
            methods=["POST"],
            summary="Let a persona speak or not",
            response_model=Envelope[PersonaDetail],
            responses=refusals(404),
            dependencies=write,
        )

        router.add_api_route(
            f"{admin}/{{persona_id}}",
            self._delete,
            methods=["DELETE"],
            summary="Delete a persona that an editor made",
            response_model=Envelope[Deleted],
            responses=refusals(404, 409),
            dependencies=write,
        )

    async def _list(self) -> Any:
        return told([_record(each) for each in await self.desk.personas()])

    async def _show(self, persona_id: str) -> Any:
        return told(described(await self.desk.persona(persona_id)))

    async def _create(self, body: CreatePersona, request: Request) -> Any:
        traits, actor = Traits(**body.given()), actor_of(request)
        made = await self.desk.create(actor, traits, default_model=self.default_model)
        return told(described(made))

    async def _update(self, persona_id: str, body: UpdatePersona, request: Request) -> Any:
        traits = Traits(**body.given())
        return told(described(await self.desk.update(actor_of(request), persona_id, traits)))

    async def _toggle(
        self,
        persona_id: str,
        request: Request,
        body: Annotated[TogglePersona | None, Body()] = None,
    ) -> Any:
        enabled = body.given().get("enabled") if body else None
        toggled = await self.desk.toggle(actor_of(request), persona_id, enabled=enabled)
        return told(described(toggled))

    async def _delete(self, persona_id: str, request: Request) -> Any:
        """Delete a persona that an editor made; what people said of its answers stays."""
        await self.desk.delete(actor_of(request), persona_id)
        return told(Deleted())


def described(persona: DeskPersona) -> PersonaDetail:
    """Return *persona* as it is told to editors."""
    return PersonaDetail(**_record(persona).model_dump(), prompt=persona.persona.prompt)


def _record(persona: DeskPersona) -> PersonaRecord:
    return PersonaRecord(
        id=persona.id,
        name=persona.name,
        model=persona.persona.model,
        summary=persona.persona.summary,
        editable=True,
        enabled=persona.enabled,
        nick=persona.persona.nick,
        color=persona.persona.color,
        voice=persona.persona.voice,
        maxTokens=persona.persona.max_tokens or 0,
        origin=persona.origin,
        edited=persona.edited,
    )
