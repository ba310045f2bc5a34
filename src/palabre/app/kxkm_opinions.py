"""Take over feedback and proposals of a KXKM_Clown."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from palabre.adapters.storage.kxkm.editorial import Found, leaning_of, moment, words
from palabre.adapters.storage.kxkm.seen import SeenIds, seen_feedback, seen_proposals
from palabre.adapters.storage.kxkm.tally import Tally
from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.editorial_feedback import SqlFeedbackStore
from palabre.adapters.storage.sql.editorial_proposals import SqlProposalStore
from palabre.core.editorial.limits import MAX_MODEL_CHARS, MAX_NAME_CHARS, MAX_SUMMARY_CHARS
from palabre.core.editorial.model import Feedback, FeedbackKind, Proposal, Wording
from palabre.core.editorial.votes import Judgement, read_judgement
from palabre.kernel.ids import PersonaId

MAX_MESSAGE_CHARS = 64_000
MAX_ID_CHARS = 100

_UNKNOWN_TIME = datetime.fromtimestamp(0, UTC)


@dataclass(frozen=True, slots=True)
class Judged:
    """A judgement, by whom it is kept, and of whom."""

    place: str
    stem: str
    id: str
    at: datetime
    judgement: Judgement


@dataclass(frozen=True, slots=True)
class OpinionImport:
    """Takes each thing that is not here, in the transaction of whoever calls.

    Attributes:
        persona_named: Returns who has an id or a nick; None if nobody has.
        dry: Whether nothing is to be written.
    """

    database: Database
    tallies: Mapping[str, Tally]
    persona_named: Callable[[str], PersonaId | None]
    feedback_ids: SeenIds
    proposal_ids: SeenIds
    dry: bool

    @classmethod
    async def open(
        cls,
        database: Database,
        tallies: Mapping[str, Tally],
        persona_named: Callable[[str], PersonaId | None],
        *,
        dry: bool,
    ) -> "OpinionImport":
        """Look at what is here.

        Raises:
            StorageError: It cannot be read.
        """
        feedback, proposals = await seen_feedback(database), await seen_proposals(database)
        return cls(database, tallies, persona_named, feedback, proposals, dry)

    async def take_feedback(self, found: Found) -> None:
        """Take one thing that was said of a persona.

        Raises:
            StorageError: It cannot be kept.
        """
        item = found.item
        persona_id = self.persona_named(words(item, "personaId", MAX_ID_CHARS))
        kind = next((each for each in FeedbackKind if each == item.get("kind")), None)
        message = words(item, "message", MAX_MESSAGE_CHARS)
        if persona_id is None or kind is None or not message:
            why = "no_persona" if persona_id is None else "no_feedback"
            self.tallies["feedback"].leave(found.place, why)
            return
        feedback_id, at = words(item, "id", MAX_ID_CHARS), moment(item, _UNKNOWN_TIME)
        feedback = Feedback(feedback_id, persona_id, kind, message, at)
        judgement = read_judgement(message)
        if judgement is not None:
            feedback = replace(feedback, leaning=judgement.leaning, prompt_key=judgement.prompt_key)
        elif kind is FeedbackKind.VOTE:
            feedback = replace(feedback, leaning=leaning_of(message))
        await self._keep(feedback)

    async def take_judged(self, judged: Judged) -> None:
        """Take a judgement of an answer.

        Raises:
            StorageError: It cannot be kept.
        """
        persona_id = self.persona_named(judged.stem)
        if persona_id is None:
            self.tallies["feedback"].leave(judged.place, "no_persona")
            return
        judgement = judged.judgement
        feedback = Feedback(judged.id, persona_id, judgement.kind, judgement.message, judged.at)
        await self._keep(
            replace(feedback, leaning=judgement.leaning, prompt_key=judgement.prompt_key)
        )

    async def _keep(self, feedback: Feedback) -> None:
        own_id, is_new = self.feedback_ids.take_feedback(feedback)
        self.tallies["feedback"].note(is_new=is_new)
        if is_new and not self.dry:
            await SqlFeedbackStore(self.database).put(replace(feedback, id=own_id))

    async def take_proposal(self, found: Found) -> None:
        """Take a proposal.

        Raises:
            StorageError: It cannot be kept.
        """
        item, tally = found.item, self.tallies["proposals"]
        persona_id = self.persona_named(words(item, "personaId", MAX_ID_CHARS))
        before, after = _wording(item.get("before")), _wording(item.get("after"))
        wished = words(item, "id", MAX_ID_CHARS)
        if persona_id is None or before is None or after is None or not wished:
            tally.leave(found.place, "no_persona" if persona_id is None else "no_proposal")
            return
        proposal = Proposal(
            wished,
            persona_id,
            words(item, "reason", MAX_ID_CHARS) or "reinforce_v2",
            before,
            after,
            applied=item.get("applied") is True,
            created_at=moment(item, _UNKNOWN_TIME),
        )
        own_id, is_new = self.proposal_ids.take_proposal(proposal)
        tally.note(is_new=is_new)
        if is_new and not self.dry:
            await SqlProposalStore(self.database).add(replace(proposal, id=own_id))


def _wording(value: object) -> Wording | None:
    if not isinstance(value, dict):
        return None
    found = Wording(
        words(value, "name", MAX_NAME_CHARS),
        words(value, "model", MAX_MODEL_CHARS),
        words(value, "summary", MAX_SUMMARY_CHARS),
    )
    return found if found.name else None
