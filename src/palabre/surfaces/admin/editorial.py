"""Feedback and proposals of personas over HTTP (seed 000 §15, §16)."""

import asyncio
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body
from pydantic import BaseModel
from starlette.requests import Request

from palabre.core.auth.model import Permission, Role
from palabre.core.editorial.desk import EditorialDesk
from palabre.core.editorial.model import Feedback, FeedbackKind, Proposal
from palabre.core.editorial.opinions import Opinions
from palabre.core.editorial.proposing import Proposals
from palabre.core.editorial.suggesting import Suggester
from palabre.core.editorial.votes import without_words
from palabre.core.editorial.wording_diff import changes
from palabre.kernel.clock import iso_utc
from palabre.surfaces.admin.personas import (
    Deleted,
    Model,
    Name,
    PersonaDetail,
    SeedBody,
    Summary,
    described,
)
from palabre.surfaces.http.envelope import Envelope, refusals, told
from palabre.surfaces.http.gate import Gate, actor_of, session_of

ADMIN = "/api/admin/personas/{persona_id}"


class Reinforce(SeedBody):
    """What is proposed (`reinforcePersonaSchema`).

    Without a name, model and summary the persona's own model drafts it.
    """

    name: Name = ""
    model: Model = ""
    summary: Summary = ""
    apply: bool = False


class FeedbackRecord(BaseModel):
    """One thing that was said of a persona.

    Attributes:
        message: Words, or JSON for votes and signals.
        createdAt: In UTC, ISO 8601.
    """

    id: str
    personaId: str  # noqa: N815
    kind: FeedbackKind
    message: str
    createdAt: str  # noqa: N815


class WordingRecord(BaseModel):
    """What a proposal changes."""

    name: str
    model: str
    summary: str


class PartRecord(BaseModel):
    """A stretch of text that stayed, came, or went."""

    operation: Literal["same", "added", "removed"]
    text: str


class FieldDiffRecord(BaseModel):
    """How one field changes, word by word."""

    field: Literal["name", "model", "summary"]
    parts: list[PartRecord]


class ProposalRecord(BaseModel):
    """How a persona could be.

    Attributes:
        reason: `reinforce_v2` as an editor asked for it, `pharmacius` as it came by itself.
        diff: The fields that differ.
        createdAt: In UTC, ISO 8601.
    """

    id: str
    personaId: str  # noqa: N815
    reason: str
    before: WordingRecord
    after: WordingRecord
    applied: bool
    createdAt: str  # noqa: N815
    diff: list[FieldDiffRecord]


@dataclass(frozen=True, slots=True)
class EditorialRoutes:
    """What people think of personas, and how they could be."""

    desk: EditorialDesk
    proposals: Proposals
    opinions: Opinions
    suggester: Suggester
    gate: Gate

    def router(self) -> APIRouter:
        """Return the routes."""
        router = APIRouter(tags=["editorial"])
        read = [self.gate.admin_needs(Permission.PERSONA_READ)]
        router.add_api_route(
            f"{ADMIN}/feedback",
            self._feedback,
            methods=["GET"],
            summary="List the feedback on a persona, newest first",
            response_model=Envelope[list[FeedbackRecord]],
            responses=refusals(404),
            dependencies=read,
        )
        router.add_api_route(
            f"{ADMIN}/proposals",
            self._proposals,
            methods=["GET"],
            summary="List the proposals for a persona, newest first",
            response_model=Envelope[list[ProposalRecord]],
            responses=refusals(404),
            dependencies=read,
        )
        self._add_proposing(router)
        return router

    def _add_proposing(self, router: APIRouter) -> None:
        write = [self.gate.admin_needs(Permission.PERSONA_WRITE)]
        router.add_api_route(
            f"{ADMIN}/reinforce",
            self._reinforce,
            methods=["POST"],
            summary="Propose how a persona could be",
            response_model=Envelope[ProposalRecord],
            responses=refusals(404, 409, 502),
            dependencies=write,
        )
        router.add_api_route(
            f"{ADMIN}/revert",
            self._revert,
            methods=["POST"],
            summary="Take back the newest change that is left",
            response_model=Envelope[PersonaDetail],
            responses=refusals(404, 409),
            dependencies=write,
        )
        router.add_api_route(
            f"{ADMIN}/proposals/{{proposal_id}}/apply",
            self._apply,
            methods=["POST"],
            summary="Apply a proposal",
            response_model=Envelope[ProposalRecord],
            responses=refusals(404, 409),
            dependencies=write,
        )
        router.add_api_route(
            f"{ADMIN}/proposals/{{proposal_id}}",
            self._dismiss,
            methods=["DELETE"],
            summary="Dismiss a proposal",
            response_model=Envelope[Deleted],
            responses=refusals(404, 409),
            dependencies=write,
        )

        router.add_api_route(
            "/api/admin/personas/suggest",
            self._suggest,
            methods=["POST"],
            summary="Have proposals drafted for the personas that people complain of",
            response_model=Envelope[list[ProposalRecord]],
            responses=refusals(502),
            dependencies=write,
        )

    async def _feedback(self, persona_id: str, request: Request) -> Any:
        """List feedback; a viewer is not told what was said in the rooms."""
        hides = session_of(request).role is Role.VIEWER
        found = await self.opinions.of(persona_id)
        return told([_feedback_record(each, hides=hides) for each in found])

    async def _proposals(self, persona_id: str) -> Any:
        found = await self.proposals.of(persona_id)
        return told(await asyncio.to_thread(lambda: [_proposal_record(each) for each in found]))

    async def _reinforce(
        self,
        persona_id: str,
        request: Request,
        body: Annotated[Reinforce | None, Body()] = None,
    ) -> Any:
        """Propose what is given, or what the persona's model drafts after its source and feedback.

        Nothing changes unless `apply` is true.
        """
        given = body.given() if body else {}
        made = await self.proposals.reinforce(actor_of(request), persona_id, **given)
        return told(_proposal_record(made))

    async def _suggest(self, request: Request) -> Any:
        """Draft for three personas at the most; nothing is applied."""
        made = await self.suggester.suggest(actor_of(request))
        return told([_proposal_record(each) for each in made])

    async def _revert(self, persona_id: str, request: Request) -> Any:
        return told(described(await self.desk.revert(actor_of(request), persona_id)))

    async def _apply(self, persona_id: str, proposal_id: str, request: Request) -> Any:
        applied = await self.proposals.apply(actor_of(request), persona_id, proposal_id)
        return told(_proposal_record(applied))

    async def _dismiss(self, persona_id: str, proposal_id: str, request: Request) -> Any:
        await self.desk.dismiss(actor_of(request), persona_id, proposal_id)
        return told(Deleted())


def _feedback_record(feedback: Feedback, *, hides: bool) -> FeedbackRecord:
    return FeedbackRecord(
        id=feedback.id,
        personaId=feedback.persona_id,
        kind=feedback.kind,
        message=without_words(feedback.message) if hides else feedback.message,
        createdAt=iso_utc(feedback.created_at),
    )


def _proposal_record(proposal: Proposal) -> ProposalRecord:
    before, after = proposal.before, proposal.after
    return ProposalRecord(
        id=proposal.id,
        personaId=proposal.persona_id,
        reason=proposal.reason,
        before=WordingRecord(name=before.name, model=before.model, summary=before.summary),
        after=WordingRecord(name=after.name, model=after.model, summary=after.summary),
        applied=proposal.applied,
        createdAt=iso_utc(proposal.created_at),
        diff=[
            FieldDiffRecord(
                field=each.name,
                parts=[PartRecord(operation=part.operation, text=part.text) for part in each.parts],
            )
            for each in changes(before, after)
        ],
    )
