"""Proposals of how a persona could be: asked for, drafted, applied."""

from collections.abc import Sequence
from dataclasses import asdict

from palabre.core.audit.model import Actor
from palabre.core.audit.ports import Ledger
from palabre.core.editorial.desk import EditorialDesk
from palabre.core.editorial.drafting import MAX_ANSWER_CHARS, draft_request, read_draft
from palabre.core.editorial.errors import DraftUnusableError, ProposalNotFoundError
from palabre.core.editorial.model import DeskPersona, Proposal, Wording
from palabre.core.editorial.names import checked_name
from palabre.core.editorial.ports import EditorialStores
from palabre.core.editorial.traits import proposal_told
from palabre.core.models.registry import ModelRegistry
from palabre.kernel.clock import Clock
from palabre.kernel.ids import Ids

REINFORCED = "reinforce_v2"
"""Why a proposal is there that an editor asked for (facts of seed 000, 3.2)."""

SUGGESTED = "pharmacius"
"""Why one is there that came by itself."""

DRAFT_TIMEOUT_S = 180.0
MAX_LISTED = 100
FEEDBACK_READ = 60


class Proposals:
    """Makes proposals, and lets the desk apply them; each is in the book of changes."""

    def __init__(
        self,
        desk: EditorialDesk,
        stores: EditorialStores,
        *,
        models: ModelRegistry,
        ledger: Ledger,
        clock: Clock,
        ids: Ids,
    ) -> None:
        self._desk = desk
        self._stores = stores
        self._models = models
        self._ledger = ledger
        self._clock = clock
        self._ids = ids

    async def of(self, persona_id: str) -> Sequence[Proposal]:
        """Return the newest proposals for a persona, newest first.

        Raises:
            PersonaNotFoundError: There is none of that id.
        """
        persona = await self._desk.persona(persona_id)
        return await self._stores.proposals.latest(persona.id, MAX_LISTED)

    async def reinforce(
        self,
        actor: Actor,
        persona_id: str,
        *,
        name: str | None = None,
        model: str | None = None,
        summary: str | None = None,
        apply: bool = False,
    ) -> Proposal:
        """Propose what is given, or, if nothing is, what the persona's model drafts.

        Raises:
            PersonaNotFoundError: There is none of that id.
            InvalidPersonaNameError: The name is none for a room.
            UpstreamError: The model gives no draft; nothing is proposed.
        """
        persona = await self._desk.persona(persona_id)
        before = persona.wording
        if name is model is summary is None:
            summary = await self.draft(persona, persona.persona.model)
        if name is not None and name != before.name:
            name = checked_name(name)
        after = Wording(
            before.name if name is None else name,
            before.model if model is None else model,
            before.summary if summary is None else summary,
        )
        proposal = await self.add(actor, persona, after, REINFORCED)
        return await self.apply(actor, persona_id, proposal.id) if apply else proposal

    async def draft(self, persona: DeskPersona, model: str) -> str:
        """Return how *model* describes *persona* anew, after its source and its feedback.

        Raises:
            UpstreamError: It fails, or answers what is no description.
        """
        source = await self._stores.edits.source(persona.id)
        feedback = await self._stores.feedback.latest(persona.id, FEEDBACK_READ)
        resolved = await self._models.resolve(model)
        request = draft_request(resolved.info, persona, source, feedback)
        answer = await self._models.answer(
            resolved, request, max_chars=MAX_ANSWER_CHARS, timeout_s=DRAFT_TIMEOUT_S
        )
        if summary := read_draft(answer):
            return summary
        raise DraftUnusableError(service=resolved.info.id)

    async def add(
        self, actor: Actor, persona: DeskPersona, after: Wording, reason: str
    ) -> Proposal:
        """Keep a proposal that is not applied."""
        proposal = Proposal(
            self._ids.new("proposal"),
            persona.id,
            reason,
            persona.wording,
            after,
            applied=False,
            created_at=self._clock.now(),
        )
        async with self._ledger.recording(actor, "persona.propose", persona.id) as change:
            await self._stores.proposals.add(proposal)
            change.before, change.after = asdict(proposal.before), proposal_told(proposal)
        return proposal

    async def apply(self, actor: Actor, persona_id: str, proposal_id: str) -> Proposal:
        """Apply a proposal, as `EditorialDesk.apply` does; return it as it is then."""
        await self._desk.apply(actor, persona_id, proposal_id)
        applied = await self._stores.proposals.find(proposal_id)
        if applied is None:
            raise ProposalNotFoundError(persona=persona_id)
        return applied
