"""Character cards over HTTP: taken in as personas, given out for other programs."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Annotated, Any, Protocol

from fastapi import APIRouter, Query
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from palabre.core.audit.ports import Ledger
from palabre.core.auth.model import Permission
from palabre.core.editorial.desk import EditorialDesk
from palabre.core.personas.model import Cast, Persona
from palabre.kernel.clock import Clock
from palabre.kernel.ids import PersonaId
from palabre.kernel.text import Text
from palabre.surfaces.admin.personas import PersonaDetail, described
from palabre.surfaces.http.envelope import Envelope, refusals, told
from palabre.surfaces.http.errors import refusal
from palabre.surfaces.http.gate import Gate, actor_of
from palabre.texts import LANGUAGES, Language, say
from palabre.wire.cards.card_file import CardFormat
from palabre.wire.cards.errors import MAX_FILE_BYTES, CardError

TYPES: dict[CardFormat, str] = {
    "json": "application/json",
    "png": "image/png",
    "charx": "application/zip",
}

Lang = Annotated[str | None, Query(description="Of remarks: `fr` or `en`.")]
Form = Annotated[CardFormat, Query(description="What to write.")]


class TakenCard(Protocol):
    """A persona that came in a card."""

    @property
    def persona(self) -> Persona:
        """Who it is."""
        ...

    @property
    def remarks(self) -> Sequence[Text]:
        """What its owner should know."""
        ...


class CardShelf(Protocol):
    """Where cards are kept. It blocks: use a thread."""

    def take(self, content: bytes, cast: Cast) -> TakenCard:
        """Make a persona of the card *content*, whose name nobody of *cast* has.

        Raises:
            CardError: There is no card in it.
            StorageError: It cannot be kept.
        """
        ...

    def drop(self, persona_id: PersonaId) -> None:
        """Undo the `take` that made the persona of that id."""
        ...

    def give(self, persona: Persona, form: CardFormat, now_s: int) -> bytes:
        """Return *persona* as a card; *now_s* are seconds since 1970, UTC.

        Raises:
            CardError: What was kept of its card is broken.
        """
        ...


class RemarkRecord(BaseModel):
    """What the owner of a new persona should know."""

    code: str
    text: str


class ImportedRecord(PersonaDetail):
    """A persona that came in a card."""

    remarks: list[RemarkRecord]


@dataclass(frozen=True, slots=True)
class CardRoutes:
    """Takes cards and gives them. An addition to the seed.

    Attributes:
        reload: Lets the rooms read the personas again.
        language: Of remarks, where none is asked for.
    """

    shelf: CardShelf
    desk: EditorialDesk
    ledger: Ledger
    gate: Gate
    clock: Clock
    reload: Callable[[], Awaitable[object]]
    language: Language
    _taking: asyncio.Lock = field(default_factory=asyncio.Lock, init=False, compare=False)

    def router(self) -> APIRouter:
        """Return the routes."""
        router = APIRouter(prefix="/api/admin/personas", tags=["personas"])
        router.add_api_route(
            "/import",
            self._import,
            methods=["POST"],
            status_code=201,
            summary="Make a persona of a character card",
            response_model=Envelope[ImportedRecord],
            dependencies=[self.gate.admin_needs(Permission.PERSONA_WRITE)],
            max_body_size=MAX_FILE_BYTES,
            openapi_extra={"requestBody": _FILE},
        )
        router.add_api_route(
            "/{persona_id}/card",
            self._export,
            methods=["GET"],
            summary="Give a persona as a character card",
            response_class=Response,
            responses={**refusals(404), 200: {"content": {each: {} for each in TYPES.values()}}},
            dependencies=[self.gate.admin_needs(Permission.PERSONA_READ)],
        )
        return router

    async def _import(self, request: Request, lang: Lang = None) -> Any:
        """Take a card V1, V2 or V3, which is the body, as JSON, PNG or CHARX.

        Nothing is overwritten: a name or an id that is taken gets a number.
        """
        language = next((each for each in LANGUAGES if each == lang), self.language)
        content = await request.body()
        try:
            async with self._taking:  # two at once could choose the same name
                taken = await self._taken(content, request)
        except CardError as error:
            details = {"problem": error.problem, "message": say(error.text, language)}
            return refusal(HTTPStatus.BAD_REQUEST, error.code, details)
        await self.reload()
        persona = described(await self.desk.persona(taken.persona.id))
        remarks = [RemarkRecord(code=each.code, text=say(each, language)) for each in taken.remarks]
        return told(ImportedRecord(**persona.model_dump(), remarks=remarks))

    async def _taken(self, content: bytes, request: Request) -> TakenCard:
        cast = Cast(tuple(each.persona for each in await self.desk.personas()))
        taken = await asyncio.to_thread(self.shelf.take, content, cast)
        persona = taken.persona
        try:
            recording = self.ledger.recording(actor_of(request), "persona.import", persona.id)
            async with recording as change:
                change.after = {"name": persona.nick, "bytes": len(content)}
        except BaseException:
            await asyncio.shield(asyncio.to_thread(self.shelf.drop, persona.id))
            raise
        return taken

    async def _export(self, persona_id: str, form: Form = "json") -> Response:
        """Give a card V3, in a picture V2 as well."""
        persona = (await self.desk.persona(persona_id)).persona
        now_s = int(self.clock.now().timestamp())
        content = await asyncio.to_thread(self.shelf.give, persona, form, now_s)
        name = f'attachment; filename="{persona.id}.{form}"'
        return Response(content, media_type=TYPES[form], headers={"Content-Disposition": name})


_FILE = {
    "required": True,
    "content": {
        each: {"schema": {"type": "string", "format": "binary"}}
        for each in (*TYPES.values(), "application/octet-stream")
    },
}
