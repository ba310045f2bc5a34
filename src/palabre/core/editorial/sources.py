"""Editors say what personas are made after."""

from dataclasses import dataclass

from palabre.core.audit.model import Actor, Json
from palabre.core.audit.ports import Ledger
from palabre.core.editorial.library import EditedLibrary, persona_of
from palabre.core.editorial.model import DeskPersona, Source
from palabre.core.editorial.ports import EditStore


@dataclass(frozen=True, slots=True)
class SourceChange:
    """What an editor says anew; None leaves a thing as it is. See `Source`."""

    subject_name: str | None = None
    summary: str | None = None
    references: tuple[str, ...] | None = None

    def of(self, source: Source) -> Source:
        """Return *source* with it."""
        return Source(
            source.persona_id,
            source.subject_name if self.subject_name is None else self.subject_name,
            source.summary if self.summary is None else self.summary,
            source.references if self.references is None else self.references,
        )


class Sources:
    """What personas are made after; each change is in the book of changes."""

    def __init__(self, library: EditedLibrary, store: EditStore, ledger: Ledger) -> None:
        self._library = library
        self._store = store
        self._ledger = ledger

    async def of(self, persona_id: str) -> Source:
        """Return what a persona is made after; its name where nobody said.

        Raises:
            PersonaNotFoundError: There is none of that id.
        """
        return await self._of(persona_of(persona_id, (await self._library.desk()).personas))

    async def change(self, actor: Actor, persona_id: str, change: SourceChange) -> Source:
        """Say what a persona is made after.

        Raises:
            PersonaNotFoundError: There is none of that id.
        """
        written = await self._library.written()
        async with self._ledger.recording(actor, "persona.source", persona_id) as entry:
            held = await self._library.hold(written)
            before = await self._of(persona_of(persona_id, held.all))
            after = change.of(before)
            await self._store.put_source(after)
            entry.before, entry.after = _told(before), _told(after)
        return after

    async def _of(self, persona: DeskPersona) -> Source:
        found = await self._store.source(persona.id)
        return found or Source(persona.id, persona.name)


def _told(source: Source) -> dict[str, Json]:
    return {
        "subjectName": source.subject_name,
        "summary": source.summary,
        "references": list(source.references),
    }
