"""Editors make, edit, switch and restore personas; the rooms see it at once."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from palabre.core.audit.model import Actor, Json
from palabre.core.audit.ports import Ledger
from palabre.core.editorial.errors import PersonaNotFoundError, ProposalNotFoundError
from palabre.core.editorial.library import EditedLibrary
from palabre.core.editorial.model import (
    DeskPersona,
    Feedback,
    FeedbackKind,
    PersonaEdit,
    Source,
    Wording,
)
from palabre.core.editorial.names import checked_name, demand_free, nick_of
from palabre.core.editorial.ports import EditStore, FeedbackStore, ProposalStore, VoiceShelf
from palabre.core.personas.model import Cast
from palabre.kernel.clock import Clock
from palabre.kernel.ids import Ids, PersonaId
from palabre.kernel.text import text


@dataclass(frozen=True, slots=True)
class EditorialStores:
    """Where the desk keeps things; all in one database."""

    edits: EditStore
    feedback: FeedbackStore
    proposals: ProposalStore


@dataclass(frozen=True, slots=True)
class Draft:
    """What an editor changes; None leaves a thing as it is. See `PersonaEdit`."""

    name: str | None = None
    model: str | None = None
    summary: str | None = None
    enabled: bool | None = None
    prompt: str | None = None
    color: str | None = None
    voice: str | None = None
    max_tokens: int | None = None

    @property
    def given(self) -> Mapping[str, str | bool | int]:
        """What is not None."""
        values = ((name, getattr(self, name)) for name in Draft.__dataclass_fields__)
        return {name: value for name, value in values if value is not None}


@dataclass(frozen=True, slots=True)
class _Seats:
    """The personas and what editors want of them, read together."""

    personas: tuple[DeskPersona, ...]
    edits: Sequence[PersonaEdit]

    def edit_of(self, persona_id: PersonaId, now: datetime) -> PersonaEdit:
        known = {each.persona_id: each for each in self.edits}
        return known.get(persona_id) or PersonaEdit(persona_id=persona_id, made_at=now)


class EditorialDesk:
    """What editors do to personas; each change is in the book of changes.

    Args:
        library: The personas as they speak.
        stores: Where things are kept.
        voices: Their recordings, which follow a new name.
        ledger: The book.
        clock: For the time of a change.
        ids: For new personas and feedback.
        reload: Lets the rooms read the personas again.
    """

    def __init__(
        self,
        library: EditedLibrary,
        stores: EditorialStores,
        *,
        voices: VoiceShelf,
        ledger: Ledger,
        clock: Clock,
        ids: Ids,
        reload: Callable[[], Awaitable[object]],
    ) -> None:
        self._library = library
        self._stores = stores
        self._voices = voices
        self._ledger = ledger
        self._clock = clock
        self._ids = ids
        self._reload = reload

    async def personas(self) -> tuple[DeskPersona, ...]:
        """Return all personas, those who do not speak as well."""
        return (await self._library.desk()).personas

    async def persona(self, persona_id: str) -> DeskPersona:
        """Return the persona of that id.

        Raises:
            PersonaNotFoundError: There is none.
        """
        return _of(await self.personas(), persona_id)

    async def create(self, actor: Actor, draft: Draft, *, default_model: str) -> DeskPersona:
        """Make a persona.

        Raises:
            InvalidPersonaNameError: Its name is none for a room.
            PersonaNameTakenError: Somebody has it, or one that looks the same.
        """
        name = checked_name(draft.name or "")
        persona_id = PersonaId(self._ids.new("persona"))
        edit = PersonaEdit(persona_id=persona_id, created=True, made_at=self._clock.now())
        given = {"model": default_model, "summary": ""} | dict(draft.given) | {"name": name}
        edit = replace(edit, **given)  # type: ignore[arg-type]  # of the fields' types: `Draft`
        written = await self._library.written()
        async with self._ledger.recording(actor, "persona.create", persona_id) as change:
            demand_free(name, (await self._seats(written)).personas)
            await self._stores.edits.put_edit(edit)
            await self._note_edit(persona_id, "created", actor)
            change.after = told(edit)
        return await self._shown(persona_id)

    async def update(self, actor: Actor, persona_id: str, draft: Draft) -> DeskPersona:
        """Change what *draft* gives.

        Raises:
            PersonaNotFoundError: There is none of that id.
            InvalidPersonaNameError: The name is none for a room.
            PersonaNameTakenError: Somebody has it, or one that looks the same.
        """
        return await self._change(actor, persona_id, draft, action="persona.update", said="edited")

    async def toggle(
        self, actor: Actor, persona_id: str, *, enabled: bool | None = None
    ) -> DeskPersona:
        """Let a persona speak or not; None turns that round.

        Raises:
            PersonaNotFoundError: There is none of that id.
        """
        if enabled is None:
            enabled = not (await self.persona(persona_id)).enabled
        said = "enabled" if enabled else "disabled"
        draft = Draft(enabled=enabled)
        return await self._change(actor, persona_id, draft, action="persona.toggle", said=said)

    async def apply(
        self, actor: Actor, persona_id: str, wording: Wording, proposal_id: str
    ) -> DeskPersona:
        """Let a persona be what a proposal says.

        Raises:
            PersonaNotFoundError: There is none of that id.
            InvalidPersonaNameError: The name is none for a room.
            PersonaNameTakenError: Somebody has it, or one that looks the same.
        """
        draft = Draft(name=wording.name, model=wording.model, summary=wording.summary)
        return await self._change(
            actor,
            persona_id,
            draft,
            action="persona.apply",
            said="applied",
            proposal_id=proposal_id,
        )

    async def revert(self, actor: Actor, persona_id: str) -> DeskPersona:
        """Take back the newest change that is left, of whatever kind.

        Raises:
            PersonaNotFoundError: There is none of that id.
            ProposalNotFoundError: None is left.
        """
        written = await self._library.written()
        async with self._ledger.recording(actor, "persona.revert", persona_id) as change:
            seats = await self._seats(written)
            persona = _of(seats.personas, persona_id)
            step = await self._stores.edits.take_step(persona.id)
            if step is None:
                raise ProposalNotFoundError(persona=persona_id)
            edit = seats.edit_of(persona.id, self._clock.now())
            if step.before.name is not None:
                demand_free(step.before.name, seats.personas, persona.id)
            await self._stores.edits.put_edit(step.before)
            if step.proposal_id:
                await self._stores.proposals.mark(step.proposal_id, applied=False)
            await self._note_edit(persona.id, "reverted", actor)
            change.before, change.after = told(edit), told(step.before)
        return await self._shown(persona.id, formerly=persona)

    async def source(self, persona_id: str) -> Source:
        """Return what a persona is made after; its name where nobody said.

        Raises:
            PersonaNotFoundError: There is none of that id.
        """
        persona = await self.persona(persona_id)
        found = await self._stores.edits.source(persona.id)
        return found or Source(persona.id, persona.name)

    async def set_source(
        self,
        actor: Actor,
        persona_id: str,
        *,
        subject_name: str | None = None,
        summary: str | None = None,
        references: tuple[str, ...] | None = None,
    ) -> Source:
        """Say what a persona is made after; None leaves a thing as it is.

        Raises:
            PersonaNotFoundError: There is none of that id.
        """
        async with self._ledger.recording(actor, "persona.source", persona_id) as change:
            before = await self.source(persona_id)
            after = Source(
                before.persona_id,
                before.subject_name if subject_name is None else subject_name,
                before.summary if summary is None else summary,
                before.references if references is None else references,
            )
            await self._stores.edits.put_source(after)
            change.before, change.after = _source_told(before), _source_told(after)
        return after

    async def _change(
        self,
        actor: Actor,
        persona_id: str,
        draft: Draft,
        *,
        action: str,
        said: str,
        proposal_id: str = "",
    ) -> DeskPersona:
        written = await self._library.written()
        async with self._ledger.recording(actor, action, persona_id) as change:
            seats = await self._seats(written)
            persona = _of(seats.personas, persona_id)
            given = dict(draft.given)
            if draft.name is not None:
                given["name"] = _renamed(persona, draft.name, seats.personas)
            before = seats.edit_of(persona.id, self._clock.now())
            after = replace(before, **given)  # type: ignore[arg-type]  # as in `create`
            if after != before or proposal_id:
                await self._stores.edits.add_step(before, proposal_id)
                await self._stores.edits.put_edit(after)
            if proposal_id:
                await self._stores.proposals.mark(proposal_id, applied=True)
            await self._note_edit(persona.id, said, actor)
            change.before, change.after = told(before), told(after)
        return await self._shown(persona.id, formerly=persona)

    async def _seats(self, written: Cast) -> "_Seats":
        """Return all personas, which nobody else changes until the transaction ends."""
        edits = await self._stores.edits.edits(to_change=True)
        return _Seats(self._library.laid_over(written, edits).personas, edits)

    async def _note_edit(self, persona_id: PersonaId, what: str, actor: Actor) -> None:
        words = self._library.in_house_words(text(f"editorial.feedback.{what}", name=actor.name))
        await self._stores.feedback.put(
            Feedback(
                self._ids.new("feedback"),
                persona_id,
                FeedbackKind.ADMIN_EDIT,
                words,
                self._clock.now(),
            )
        )

    async def _shown(
        self, persona_id: PersonaId, formerly: DeskPersona | None = None
    ) -> DeskPersona:
        """Let the rooms see it, and return what it is now."""
        persona = await self.persona(persona_id)
        old = formerly.persona.nick if formerly else persona.persona.nick
        if old != persona.persona.nick:
            await self._voices.rename(old, persona.persona.nick)
        await self._reload()
        return persona


def told(edit: PersonaEdit) -> dict[str, Json]:
    """Return *edit* for the book of changes."""
    values: dict[str, Json] = {
        "name": edit.name,
        "model": edit.model,
        "summary": edit.summary,
        "enabled": edit.enabled,
        "prompt": edit.prompt,
        "color": edit.color,
        "voice": edit.voice,
        "maxTokens": edit.max_tokens,
    }
    return {name: value for name, value in values.items() if value is not None}


def _of(personas: tuple[DeskPersona, ...], persona_id: str) -> DeskPersona:
    found = next((each for each in personas if each.id == persona_id), None)
    if found is None:
        raise PersonaNotFoundError(persona=persona_id[:100])
    return found


def _renamed(persona: DeskPersona, wished: str, personas: tuple[DeskPersona, ...]) -> str:
    """Return the name for *persona* that is *wished*; its own is always free."""
    if wished == persona.name:
        return wished
    name = checked_name(wished)
    if nick_of(name) != persona.persona.nick:
        demand_free(name, personas, persona.id)
    return name


def _source_told(source: Source) -> dict[str, Json]:
    return {
        "subjectName": source.subject_name,
        "summary": source.summary,
        "references": list(source.references),
    }
