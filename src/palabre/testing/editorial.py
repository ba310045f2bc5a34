"""What the editorial desk keeps, in memory."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from palabre.core.editorial.model import Feedback, PersonaEdit, Proposal, Source, Step
from palabre.kernel.ids import PersonaId


class MemoryEditStore:
    """`EditStore` in memory."""

    def __init__(self) -> None:
        self._edits: dict[PersonaId, PersonaEdit] = {}
        self._steps: list[Step] = []
        self._sources: dict[PersonaId, Source] = {}
        self._revision = 0
        self._steps_made = 0

    async def edits(self, *, to_change: bool = False) -> Sequence[PersonaEdit]:  # noqa: ARG002
        return sorted(self._edits.values(), key=lambda each: (each.made_at, each.persona_id))

    async def put_edit(self, edit: PersonaEdit) -> None:
        self._edits[edit.persona_id] = edit
        self._revision += 1

    async def revision(self) -> int:
        return self._revision

    async def add_step(self, before: PersonaEdit, proposal_id: str = "") -> None:
        self._steps_made += 1
        self._steps.append(Step(self._steps_made, before, proposal_id))

    async def take_step(self, persona_id: PersonaId) -> Step | None:
        for step in reversed(self._steps):
            if step.before.persona_id == persona_id:
                self._steps.remove(step)
                return step
        return None

    async def forget(self, persona_id: PersonaId) -> None:
        self._steps = [each for each in self._steps if each.before.persona_id != persona_id]
        self._sources.pop(persona_id, None)

    async def source(self, persona_id: PersonaId) -> Source | None:
        return self._sources.get(persona_id)

    async def put_source(self, source: Source) -> None:
        self._sources[source.persona_id] = source


class MemoryProposalStore:
    """`ProposalStore` in memory."""

    def __init__(self) -> None:
        self._proposals: dict[str, Proposal] = {}
        self._dismissed: set[str] = set()

    async def add(self, proposal: Proposal) -> None:
        self._proposals[proposal.id] = proposal

    async def find(self, proposal_id: str) -> Proposal | None:
        return None if proposal_id in self._dismissed else self._proposals.get(proposal_id)

    async def latest(self, persona_id: PersonaId, limit: int) -> Sequence[Proposal]:
        found = [each for each in self._of(persona_id) if each.id not in self._dismissed]
        return sorted(found, key=lambda each: (each.created_at, each.id), reverse=True)[:limit]

    async def mark(self, proposal_id: str, *, applied: bool) -> None:
        if found := self._proposals.get(proposal_id):
            self._proposals[proposal_id] = replace(found, applied=applied)

    async def dismiss(self, proposal_id: str) -> None:
        self._dismissed.add(proposal_id)

    async def forget(self, persona_id: PersonaId) -> None:
        for each in self._of(persona_id):
            del self._proposals[each.id]

    def newest_at(self, persona_id: PersonaId) -> datetime | None:
        """Return when the last proposal for a persona was made; None if none was."""
        return max((each.created_at for each in self._of(persona_id)), default=None)

    def _of(self, persona_id: PersonaId) -> list[Proposal]:
        return [each for each in self._proposals.values() if each.persona_id == persona_id]


class MemoryFeedbackStore:
    """`FeedbackStore` in memory.

    Args:
        proposals: By which complaints are counted anew.
    """

    def __init__(self, proposals: MemoryProposalStore) -> None:
        self._proposals = proposals
        self._feedback: dict[str, Feedback] = {}

    async def put(self, feedback: Feedback) -> str:
        same = (each for each in self._feedback.values() if each.slot == feedback.slot)
        replaced = next(same, None) if feedback.slot else None
        kept = replace(feedback, id=replaced.id) if replaced else feedback
        self._feedback[kept.id] = kept
        return kept.id

    async def withdraw(self, slot: str) -> bool:
        found = [each.id for each in self._feedback.values() if each.slot == slot]
        for each in found:
            del self._feedback[each]
        return bool(found)

    async def latest(self, persona_id: PersonaId, limit: int) -> Sequence[Feedback]:
        found = [each for each in self._feedback.values() if each.persona_id == persona_id]
        return sorted(found, key=lambda each: (each.created_at, each.id), reverse=True)[:limit]

    async def judgements(
        self, persona_id: PersonaId | None, after: Feedback | None, limit: int
    ) -> Sequence[Feedback]:
        found = [
            each
            for each in self._feedback.values()
            if each.prompt_key
            and persona_id in {None, each.persona_id}
            and (after is None or _place(each) > _place(after))
        ]
        return sorted(found, key=_place)[:limit]

    async def complaints(self) -> Mapping[PersonaId, int]:
        counts: dict[PersonaId, int] = {}
        for each in self._feedback.values():
            newest = self._proposals.newest_at(each.persona_id)
            if each.leaning < 0 and (newest is None or each.created_at > newest):
                counts[each.persona_id] = counts.get(each.persona_id, 0) + 1
        return counts


class MemoryVoiceShelf:
    """`VoiceShelf` in memory: whatever begins with `RIFF` is a recording.

    Attributes:
        recordings: By file name.
        drafts: Those that are no recordings yet.
    """

    def __init__(self) -> None:
        self.drafts: dict[str, bytes] = {}
        self.recordings: dict[str, bytes] = {}

    async def size_bytes(self, nick: str) -> int | None:
        wav = self.recordings.get(self.path(nick))
        return None if wav is None else len(wav)

    async def fault_of(self, wav: bytes, least_s: float) -> str:  # noqa: ARG002
        return "" if wav.startswith(b"RIFF") else "no RIFF header"

    async def draft(self, wav: bytes) -> str:
        name = f"draft {len(self.drafts)}"
        self.drafts[name] = wav
        return name

    async def keep(self, nick: str, draft: str) -> None:
        self.recordings[self.path(nick)] = self.drafts.pop(draft)

    async def drop(self, draft: str) -> None:
        self.drafts.pop(draft, None)

    async def remove(self, nick: str) -> None:
        self.recordings.pop(self.path(nick), None)

    async def rename(self, nick: str, renamed: str) -> None:
        wav = self.recordings.pop(self.path(nick), None)
        if wav is not None:
            self.recordings[self.path(renamed)] = wav

    def path(self, nick: str) -> str:
        return f"voice-samples/{nick.lower()}.wav"


def _place(feedback: Feedback) -> tuple[str, str, str]:
    return feedback.persona_id, feedback.prompt_key, feedback.id
