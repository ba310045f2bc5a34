"""Where the editorial desk keeps things."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from palabre.core.editorial.model import Feedback, PersonaEdit, Proposal, Source, Step
from palabre.kernel.ids import PersonaId


class EditStore(Protocol):
    """Keeps edits, the steps that led to them, and sources."""

    async def edits(self, *, to_change: bool = False) -> Sequence[PersonaEdit]:
        """Return all edits, those made first first.

        With *to_change*, inside a transaction, nobody else changes any until it ends.
        """
        ...

    async def put_edit(self, edit: PersonaEdit) -> None:
        """Keep *edit* in the place of the one of the same persona."""
        ...

    async def revision(self) -> int:
        """Return a number that grows with every `put_edit`, of whatever process; 0 at first."""
        ...

    async def add_step(self, before: PersonaEdit, proposal_id: str = "") -> None:
        """Note that what was *before* was changed."""
        ...

    async def take_step(self, persona_id: PersonaId) -> Step | None:
        """Return the newest step of a persona and forget it; None when none is left."""
        ...

    async def forget(self, persona_id: PersonaId) -> None:
        """Forget the steps and the source of a persona; its edit stays."""
        ...

    async def source(self, persona_id: PersonaId) -> Source | None:
        """Return what a persona is made after; None if nobody said."""
        ...

    async def put_source(self, source: Source) -> None:
        """Keep *source* in the place of the one before."""
        ...


class FeedbackStore(Protocol):
    """Keeps what is said of personas."""

    async def put(self, feedback: Feedback) -> str:
        """Keep *feedback*, in the place of what has its slot, if that is not empty.

        Returns:
            Its id; that of what it replaces, if it does.
        """
        ...

    async def withdraw(self, slot: str) -> bool:
        """Forget what has the *slot*; say whether anything had."""
        ...

    async def latest(self, persona_id: PersonaId, limit: int) -> Sequence[Feedback]:
        """Return the newest *limit* of a persona, newest first."""
        ...

    async def judgements(
        self, persona_id: PersonaId | None, after: Feedback | None, limit: int
    ) -> Sequence[Feedback]:
        """Return what has a `prompt_key`, ordered by persona, prompt and id.

        Args:
            persona_id: Whose; None for all.
            after: The last one that was read; None begins.
            limit: How many at the most.
        """
        ...

    async def complaints(self) -> Mapping[PersonaId, int]:
        """Return how much leans against each persona since its last proposal, dismissed or not."""
        ...


class ProposalStore(Protocol):
    """Keeps proposals."""

    async def add(self, proposal: Proposal) -> None:
        """Keep the new *proposal*."""
        ...

    async def find(self, proposal_id: str) -> Proposal | None:
        """Return the proposal of that id; None if there is none, or it was dismissed."""
        ...

    async def latest(self, persona_id: PersonaId, limit: int) -> Sequence[Proposal]:
        """Return the newest *limit* of a persona that were not dismissed, newest first."""
        ...

    async def mark(self, proposal_id: str, *, applied: bool) -> None:
        """Note whether a proposal is applied; one that is gone is no matter."""
        ...

    async def dismiss(self, proposal_id: str) -> None:
        """Hide a proposal; complaints before it stay answered. One that is gone is no matter."""
        ...

    async def forget(self, persona_id: PersonaId) -> None:
        """Forget all proposals of a persona, those dismissed as well."""
        ...


@dataclass(frozen=True, slots=True)
class EditorialStores:
    """Where the desk keeps things; all in one database."""

    edits: EditStore
    feedback: FeedbackStore
    proposals: ProposalStore


class VoiceShelf(Protocol):
    """Keeps the recordings that personas sound like, by their nicks."""

    async def size_bytes(self, nick: str) -> int | None:
        """Return how large the recording of *nick* is; None without one."""
        ...

    async def fault_of(self, wav: bytes, least_s: float) -> str:
        """Return why *wav* is no recording of at least *least_s* seconds; empty if it is one."""
        ...

    async def draft(self, wav: bytes) -> str:
        """Write *wav* down, so that `keep` takes no time; return what it and `drop` know it by.

        Raises:
            StorageError: It could not be written.
        """
        ...

    async def keep(self, nick: str, draft: str) -> None:
        """Let *draft* be the recording of *nick*.

        Raises:
            StorageError: It could not be kept; the one before is untouched.
        """
        ...

    async def drop(self, draft: str) -> None:
        """Forget *draft*, if it is there still."""
        ...

    async def remove(self, nick: str) -> None:
        """Forget the recording of *nick*, if there is one.

        Raises:
            StorageError: It could not be removed.
        """
        ...

    async def rename(self, nick: str, renamed: str) -> None:
        """Let the recording of *nick*, if there is one, be that of *renamed*.

        Raises:
            StorageError: It could not be renamed.
        """
        ...

    def path(self, nick: str) -> str:
        """Return where the recording of *nick* is, below the data dir."""
        ...
