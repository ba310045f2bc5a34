"""Recordings that personas sound like (seed 000 §15, facts 3.2)."""

from palabre.core.audit.model import Actor
from palabre.core.audit.ports import Ledger
from palabre.core.editorial.desk import EditorialDesk
from palabre.core.editorial.errors import (
    SampleNameSharedError,
    SampleNotFoundError,
    SampleTooLargeError,
    SampleUnfitError,
)
from palabre.core.editorial.library import persona_of
from palabre.core.editorial.model import DeskPersona
from palabre.core.editorial.ports import VoiceShelf
from palabre.core.editorial.voice_places import sharer_of

MAX_SAMPLE_MB = 10
MAX_SAMPLE_BYTES = MAX_SAMPLE_MB * 1024 * 1024
MIN_SAMPLE_S = 0.1


class Recordings:
    """Takes and removes recordings; each change is in the book of changes."""

    def __init__(self, desk: EditorialDesk, shelf: VoiceShelf, ledger: Ledger) -> None:
        self._desk = desk
        self._shelf = shelf
        self._ledger = ledger

    async def find(self, persona_id: str) -> str | None:
        """Return where the recording of a persona is, below the data dir; None without one.

        Raises:
            PersonaNotFoundError: There is none of that id.
        """
        nick = (await self._desk.persona(persona_id)).persona.nick
        return self._shelf.path(nick) if await self._shelf.size_bytes(nick) is not None else None

    async def put(self, actor: Actor, persona_id: str, wav: bytes) -> str:
        """Let a persona sound like *wav*; return where it is kept, below the data dir.

        Raises:
            PersonaNotFoundError: There is none of that id.
            SampleTooLargeError: It is larger than `MAX_SAMPLE_BYTES`.
            SampleUnfitError: It is no WAV that can be used.
            SampleNameSharedError: Another persona's would lie in the same place.
            StorageError: It could not be kept.
        """
        personas = await self._desk.personas()
        persona = persona_of(persona_id, personas)
        await self._check(wav)
        nick = persona.persona.nick
        place = self._shelf.path(nick)
        if other := sharer_of(nick, persona.id, personas, self._shelf):
            raise SampleNameSharedError(other=other.name, file=place)
        draft = await self._shelf.draft(wav)
        try:
            await self._keep(actor, persona, draft, len(wav))
        finally:
            await self._shelf.drop(draft)
        return place

    async def remove(self, actor: Actor, persona_id: str) -> None:
        """Remove the recording of a persona.

        Raises:
            PersonaNotFoundError: There is none of that id.
            SampleNotFoundError: It has no recording.
            StorageError: It could not be removed.
        """
        nick = (await self._desk.persona(persona_id)).persona.nick
        before = await self._shelf.size_bytes(nick)
        if before is None:
            raise SampleNotFoundError(persona=persona_id)
        action = "persona.voice_sample_removed"
        async with self._ledger.recording(actor, action, persona_id) as change:
            await self._shelf.remove(nick)
            change.before = {"bytes": before}

    async def _keep(self, actor: Actor, persona: DeskPersona, draft: str, size_bytes: int) -> None:
        nick = persona.persona.nick
        before = await self._shelf.size_bytes(nick)
        async with self._ledger.recording(actor, "persona.voice_sample", persona.id) as change:
            await self._shelf.keep(nick, draft)
            change.before = {"bytes": before} if before is not None else {}
            change.after = {"bytes": size_bytes}

    async def _check(self, wav: bytes) -> None:
        if len(wav) > MAX_SAMPLE_BYTES:
            raise SampleTooLargeError(limit_mb=MAX_SAMPLE_MB)
        if fault := await self._shelf.fault_of(wav, MIN_SAMPLE_S):
            raise SampleUnfitError(detail=fault, least_s=MIN_SAMPLE_S)
