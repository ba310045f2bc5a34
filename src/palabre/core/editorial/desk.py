"""Editors make, edit, switch, restore and delete personas; the rooms see it at once."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from palabre.core.audit.model import Actor, Change
from palabre.core.audit.ports import Ledger
from palabre.core.auth.ports import AccountStore
from palabre.core.editorial.errors import (
    PersonaNameTakenError,
    PersonaOfFileError,
    ProposalAppliedError,
    ProposalNotFoundError,
)
from palabre.core.editorial.library import EditedLibrary, HeldPersonas, persona_of
from palabre.core.editorial.model import (
    DeskPersona,
    Feedback,
    FeedbackKind,
    PersonaEdit,
    Proposal,
)
from palabre.core.editorial.names import checked_name, demand_free, nick_of
from palabre.core.editorial.ports import EditorialStores, VoiceShelf
from palabre.core.editorial.traits import Traits, proposal_told, told
from palabre.core.editorial.voice_places import demand_place, follow_name, sharer_of
from palabre.kernel.clock import Clock
from palabre.kernel.ids import Ids, Nick, PersonaId
from palabre.kernel.lookalikes import nick_keys
from palabre.kernel.text import text


@dataclass(frozen=True, slots=True)
class _Opened:
    """A persona that is being changed, in a transaction.

    Attributes:
        entry: What the book will say of it.
        held: All personas.
        persona: As it is.
        edit: What editors want of it.
    """

    entry: Change
    held: HeldPersonas
    persona: DeskPersona
    edit: PersonaEdit


class EditorialDesk:
    """What editors do to personas; each change is in the book of changes.

    Args:
        library: The personas as they speak.
        stores: Where things are kept.
        voices: Their recordings, which follow a new name.
        accounts: Whose names no persona is given.
        ledger: The book.
        clock: For the time of a change.
        ids: For new personas and feedback.
        reload: Lets the rooms read the personas again.
        forget: Has a persona that is gone, by its id and nick, remember nothing.
    """

    def __init__(
        self,
        library: EditedLibrary,
        stores: EditorialStores,
        *,
        voices: VoiceShelf,
        accounts: AccountStore,
        ledger: Ledger,
        clock: Clock,
        ids: Ids,
        reload: Callable[[], Awaitable[object]],
        forget: Callable[[PersonaId, Nick], Awaitable[object]],
    ) -> None:
        self._library = library
        self._stores = stores
        self._voices = voices
        self._accounts = accounts
        self._ledger = ledger
        self._clock = clock
        self._ids = ids
        self._reload = reload
        self._forget = forget

    async def personas(self) -> tuple[DeskPersona, ...]:
        """Return all personas, those who do not speak as well."""
        return (await self._library.desk()).personas

    async def persona(self, persona_id: str) -> DeskPersona:
        """Return the persona of that id.

        Raises:
            PersonaNotFoundError: There is none.
        """
        return persona_of(persona_id, await self.personas())

    async def create(self, actor: Actor, traits: Traits, *, default_model: str) -> DeskPersona:
        """Make a persona.

        Raises:
            InvalidPersonaNameError: Its name is none for a room.
            PersonaNameTakenError: Somebody has it, or one that looks the same.
        """
        name = checked_name(traits.name or "")
        persona_id = PersonaId(self._ids.new("persona"))
        edit = PersonaEdit(
            persona_id=persona_id,
            created=True,
            model=default_model,
            summary="",
            made_at=self._clock.now(),
        )
        edit = replace(traits, name=name).given_to(edit)
        written = await self._library.written()
        async with self._ledger.recording(actor, "persona.create", persona_id) as entry:
            held = await self._library.hold(written)
            await self._demand_free(name, held)
            await self._stores.edits.put_edit(edit)
            await self._note(persona_id, "created", actor)
            entry.after = told(edit)
        await self._reload()
        return await self.persona(persona_id)

    async def update(self, actor: Actor, persona_id: str, traits: Traits) -> DeskPersona:
        """Change what *traits* gives.

        Raises:
            PersonaNotFoundError: There is none of that id.
            InvalidPersonaNameError: The name is none for a room.
            PersonaNameTakenError: Somebody has it, or one that looks the same.
            SampleNameSharedError: Its recording would take the place of somebody else's.
        """
        async with self._changing(actor, "persona.update", persona_id) as opened:
            await self._put(opened, traits, "edited")
        return await self._shown(opened.persona)

    async def toggle(
        self, actor: Actor, persona_id: str, *, enabled: bool | None = None
    ) -> DeskPersona:
        """Let a persona speak or not; None turns that round.

        Raises:
            PersonaNotFoundError: There is none of that id.
        """
        async with self._changing(actor, "persona.toggle", persona_id) as opened:
            speaks = not opened.persona.enabled if enabled is None else enabled
            await self._put(opened, Traits(enabled=speaks), "enabled" if speaks else "disabled")
        return await self._shown(opened.persona)

    async def apply(self, actor: Actor, persona_id: str, proposal_id: str) -> DeskPersona:
        """Change of a persona what a proposal changes; what it leaves alone stays as it is now.

        Raises:
            PersonaNotFoundError: There is none of that id.
            ProposalNotFoundError: It has no such proposal.
            ProposalAppliedError: It was applied already.
            InvalidPersonaNameError: The name is none for a room.
            PersonaNameTakenError: Somebody has the name by now.
            SampleNameSharedError: As `update`.
        """
        async with self._changing(actor, "persona.apply", persona_id) as opened:
            proposal = await self._proposal(opened.persona, proposal_id)
            await self._put(opened, Traits.changed_by(proposal), "applied", proposal_id)
            await self._stores.proposals.mark(proposal_id, applied=True)
        return await self._shown(opened.persona)

    async def dismiss(self, actor: Actor, persona_id: str, proposal_id: str) -> None:
        """Turn a proposal down that was not applied.

        Raises:
            PersonaNotFoundError: There is none of that id.
            ProposalNotFoundError: It has no such proposal.
            ProposalAppliedError: It was applied: `revert` takes that back.
        """
        async with self._changing(actor, "persona.dismiss", persona_id) as opened:
            proposal = await self._proposal(opened.persona, proposal_id)
            await self._stores.proposals.dismiss(proposal_id)
            opened.entry.before = proposal_told(proposal)

    async def revert(self, actor: Actor, persona_id: str) -> DeskPersona:
        """Take back the newest change that is left, of whatever kind.

        Raises:
            PersonaNotFoundError: There is none of that id.
            ProposalNotFoundError: None is left.
            PersonaNameTakenError: Somebody has the name by now.
            SampleNameSharedError: As `update`.
        """
        async with self._changing(actor, "persona.revert", persona_id) as opened:
            persona = opened.persona
            step = await self._stores.edits.take_step(persona.id)
            if step is None:
                raise ProposalNotFoundError(persona=persona_id)
            if name := step.before.name or persona.file_nick:
                await self._demand_fit(name, opened)
            await self._stores.edits.put_edit(step.before)
            if step.proposal_id:
                await self._stores.proposals.mark(step.proposal_id, applied=False)
            await self._note(persona.id, "reverted", actor)
            opened.entry.before, opened.entry.after = told(opened.edit), told(step.before)
        return await self._shown(persona)

    async def delete(self, actor: Actor, persona_id: str) -> None:
        """Take a persona away that an editor made, with all but what people said of its answers.

        That stays, to be exported.

        Raises:
            PersonaNotFoundError: There is none of that id.
            PersonaOfFileError: It has a file, or had one: it can be switched off.
            StorageError: What it remembers or its recording stays; it is gone all the same.
        """
        async with self._changing(actor, "persona.delete", persona_id) as opened:
            persona, edit = opened.persona, opened.edit
            if persona.origin != "created":
                raise PersonaOfFileError(persona=persona.name)
            # Its row stays, so that each process sees that something changed.
            gone = PersonaEdit(
                persona_id=persona.id, created=True, deleted=True, made_at=edit.made_at
            )
            await self._stores.edits.put_edit(gone)
            await self._stores.edits.forget(persona.id)
            await self._stores.proposals.forget(persona.id)
            opened.entry.before = told(edit)
        await self._reload()
        nick = persona.persona.nick
        await self._forget(persona.id, nick)
        if sharer_of(nick, persona.id, opened.held.all, self._voices) is None:
            await self._voices.remove(nick)

    @asynccontextmanager
    async def _changing(
        self, actor: Actor, action: str, persona_id: str
    ) -> AsyncGenerator[_Opened]:
        """Give the persona of that id, which nobody else changes until the block ends.

        Raises:
            PersonaNotFoundError: There is none of that id.
        """
        written = await self._library.written()
        async with self._ledger.recording(actor, action, persona_id) as entry:
            held = await self._library.hold(written)
            persona = persona_of(persona_id, held.all)
            yield _Opened(entry, held, persona, held.edit_of(persona.id, self._clock.now()))

    async def _put(self, opened: _Opened, traits: Traits, said: str, proposal_id: str = "") -> None:
        """Give the persona *traits*, by a step that can be taken back, and say so in feedback."""
        edit = opened.edit
        if traits.name is not None:
            traits = replace(traits, name=await self._name(traits.name, opened))
        after = traits.given_to(edit)
        if after != edit or proposal_id:
            await self._stores.edits.add_step(edit, proposal_id)
            await self._stores.edits.put_edit(after)
        await self._note(opened.persona.id, said, opened.entry.actor)
        opened.entry.before, opened.entry.after = told(edit), told(after)

    async def _name(self, wished: str, opened: _Opened) -> str:
        """Return the name that is *wished*; a persona's own is always free."""
        if wished == opened.persona.name:
            return wished
        name = checked_name(wished)
        await self._demand_fit(name, opened)
        return name

    async def _demand_fit(self, name: str, opened: _Opened) -> None:
        """Check that the opened persona can be called *name*, if it is not by now."""
        persona, nick = opened.persona, nick_of(name)
        if nick != persona.persona.nick:
            await self._demand_free(name, opened.held, persona.id)
            await demand_place(nick, persona, opened.held.all, self._voices)

    async def _demand_free(
        self, name: str, held: HeldPersonas, own: PersonaId | None = None
    ) -> None:
        demand_free(name, held.all, own)
        keys = nick_keys(nick_of(name))
        for account in await self._accounts.all():
            if keys & nick_keys(account.username):
                raise PersonaNameTakenError(name=name, other=account.username)

    async def _proposal(self, persona: DeskPersona, proposal_id: str) -> Proposal:
        """Return a proposal of *persona* that is not applied."""
        found = await self._stores.proposals.find(proposal_id)
        if found is None or found.persona_id != persona.id:
            raise ProposalNotFoundError(persona=persona.id)
        if found.applied:
            raise ProposalAppliedError(proposal=proposal_id)
        return found

    async def _note(self, persona_id: PersonaId, what: str, actor: Actor) -> None:
        words = self._library.in_house_words(text(f"editorial.feedback.{what}", name=actor.name))
        feedback_id, now = self._ids.new("feedback"), self._clock.now()
        note = Feedback(feedback_id, persona_id, FeedbackKind.ADMIN_EDIT, words, now)
        await self._stores.feedback.put(note)

    async def _shown(self, formerly: DeskPersona) -> DeskPersona:
        """Let the rooms see what was changed, and return what it is now."""
        await self._reload()
        personas = await self.personas()
        persona = persona_of(formerly.id, personas)
        await follow_name(formerly.persona.nick, persona, personas, self._voices)
        return persona
