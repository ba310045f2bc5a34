"""An editorial desk over personas and stores in memory."""

from dataclasses import dataclass, field
from functools import partial

from palabre.core.audit.model import Actor
from palabre.core.editorial.desk import EditorialDesk
from palabre.core.editorial.library import EditedLibrary
from palabre.core.editorial.opinions import Opinions
from palabre.core.editorial.ports import EditorialStores, FeedbackStore
from palabre.core.editorial.proposing import Proposals
from palabre.core.editorial.recordings import Recordings
from palabre.core.editorial.sources import Sources
from palabre.core.models.registry import ModelRegistry
from palabre.kernel.ids import Nick, PersonaId
from palabre.testing.audit import MemoryLedger
from palabre.testing.auth import MemoryAccountStore
from palabre.testing.clock import FrozenClock
from palabre.testing.editorial import (
    MemoryEditStore,
    MemoryFeedbackStore,
    MemoryProposalStore,
    MemoryVoiceShelf,
)
from palabre.testing.ids import CountingIds
from palabre.testing.models import Answer, ScriptedProvider
from palabre.testing.personas import StaticPersonaLibrary, a_persona
from palabre.texts import say

ANNE = Actor("anne", "editor", "127.0.0.1")


@dataclass
class Room:
    """The desk and what it stands on; `reloads` counts how often the rooms were told.

    `forgotten` are those who had to forget, by id and nick.
    """

    written: StaticPersonaLibrary
    provider: ScriptedProvider
    clock: FrozenClock
    ledger: MemoryLedger
    stores: EditorialStores
    feedback: FeedbackStore
    voices: MemoryVoiceShelf
    library: EditedLibrary
    accounts: MemoryAccountStore
    desk: EditorialDesk
    sources: Sources
    proposals: Proposals
    opinions: Opinions
    recordings: Recordings
    reloads: list[str] = field(default_factory=list)
    forgotten: list[str] = field(default_factory=list)


def editorial_room(*answers: Answer | str) -> Room:
    """Return a desk of Batty and Isa, whose model gives *answers*."""
    written = StaticPersonaLibrary(a_persona("Batty"), a_persona("Isa"))
    provider = ScriptedProvider(*answers, name="ollama", models=("qwen3:8b",))
    clock, ids = FrozenClock(), CountingIds()
    ledger, voices = MemoryLedger(clock), MemoryVoiceShelf()
    stores = _stores()
    words = partial(say, language="fr")
    library = EditedLibrary(written, stores.edits, in_house_words=words, model="qwen3:8b")
    reloads, forgotten = list[str](), list[str]()

    async def reload() -> None:
        reloads.append("reloaded")
        await library.load()

    async def forget(persona_id: PersonaId, nick: Nick) -> None:
        forgotten.append(f"{persona_id} {nick}")

    accounts = MemoryAccountStore()
    desk = EditorialDesk(
        library,
        stores,
        voices=voices,
        accounts=accounts,
        ledger=ledger,
        clock=clock,
        ids=ids,
        reload=reload,
        forget=forget,
    )
    models = ModelRegistry([provider], default_model="qwen3:8b", clock=clock)
    return Room(
        written=written,
        provider=provider,
        clock=clock,
        ledger=ledger,
        stores=stores,
        feedback=stores.feedback,
        voices=voices,
        library=library,
        accounts=accounts,
        desk=desk,
        sources=Sources(library, stores.edits, ledger),
        proposals=Proposals(desk, stores, models=models, ledger=ledger, clock=clock, ids=ids),
        opinions=Opinions(desk, stores.feedback, clock=clock, ids=ids),
        recordings=Recordings(desk, voices, ledger),
        reloads=reloads,
        forgotten=forgotten,
    )


def _stores() -> EditorialStores:
    proposals = MemoryProposalStore()
    return EditorialStores(MemoryEditStore(), MemoryFeedbackStore(proposals), proposals)
