"""Feedback, proposals and voice samples of personas over HTTP (seed 000 §15, §16)."""

import asyncio
import base64
import binascii
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body
from pydantic import BaseModel, Field
from starlette.requests import Request

from palabre.core.auth.model import Permission, Role
from palabre.core.editorial.desk import EditorialDesk
from palabre.core.editorial.errors import SampleTooLargeError, SampleUnfitError
from palabre.core.editorial.model import Feedback, FeedbackKind, Proposal
from palabre.core.editorial.opinions import Opinions
from palabre.core.editorial.proposing import Proposals
from palabre.core.editorial.recordings import MAX_SAMPLE_BYTES, MIN_SAMPLE_S, Recordings
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
from palabre.surfaces.http.envelope import MIB, Envelope, refusals, told
from palabre.surfaces.http.errors import refusal
from palabre.surfaces.http.gate import Gate, actor_of, session_of

ADMIN = "/api/admin/personas/{persona_id}"
MAX_SAMPLE_BODY_BYTES = 16 * MIB
PIECE_CHARS = 512 * 1024
"""Of base64 that are decoded at once; a multiple of four."""

TOO_LARGE = "file_too_large (max 10 MB)"
"""The existing program's word for it (facts of seed 000, 3.1)."""


class Reinforce(SeedBody):
    """What is proposed (`reinforcePersonaSchema`).

    Without a name, model and summary the persona's own model drafts it.
    """

    name: Name = ""
    model: Model = ""
    summary: Summary = ""
    apply: bool = False


class VoiceSample(SeedBody):
    """A WAV in base64 (`voiceSampleSchema`)."""

    audio: str = Field(min_length=1)


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
class EditorialRoutes:
    """What people think of personas, how they could be, and how they sound."""

    desk: EditorialDesk
    proposals: Proposals
    opinions: Opinions
    recordings: Recordings
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
        self._add_samples(router)
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

    def _add_samples(self, router: APIRouter) -> None:
        path = f"{ADMIN}/voice-sample"
        write = [self.gate.admin_needs(Permission.PERSONA_WRITE)]
        router.add_api_route(
            path,
            self._put_sample,
            methods=["POST"],
            summary="Let a persona sound like a recording",
            response_model=Envelope[SampleKept],
            responses=refusals(404, 409),
            dependencies=write,
            max_body_size=MAX_SAMPLE_BODY_BYTES,
        )
        router.add_api_route(
            path,
            self._sample,
            methods=["GET"],
            summary="Tell whether a persona has a recording to sound like",
            response_model=Envelope[SampleFound],
            response_model_exclude_none=True,
            responses=refusals(404),
            dependencies=[self.gate.admin_needs(Permission.PERSONA_READ)],
        )
        router.add_api_route(
            path,
            self._remove_sample,
            methods=["DELETE"],
            summary="Remove the recording of a persona",
            response_model=Envelope[Deleted],
            responses=refusals(404),
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
