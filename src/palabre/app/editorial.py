"""The editorial desk of this installation."""

from collections.abc import Awaitable, Callable, Coroutine, Iterator
from dataclasses import dataclass
from functools import partial

from palabre.adapters.speech.samples import FOLDER, VoiceSamples
from palabre.adapters.storage.sql.accounts import SqlAccountStore
from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.editorial_edits import SqlEditStore
from palabre.adapters.storage.sql.editorial_feedback import SqlFeedbackStore
from palabre.adapters.storage.sql.editorial_proposals import SqlProposalStore
from palabre.app.settings import Settings
from palabre.core.audit.ports import Ledger
from palabre.core.chat.house import Ports
from palabre.core.chat.service import ChatService
from palabre.core.editorial.desk import EditorialDesk
from palabre.core.editorial.following import follow
from palabre.core.editorial.library import EditedLibrary
from palabre.core.editorial.opinions import Opinions
from palabre.core.editorial.ports import EditorialStores
from palabre.core.editorial.proposing import Proposals
from palabre.core.editorial.recordings import Recordings
from palabre.core.editorial.sources import Sources
from palabre.core.editorial.suggesting import Suggester
from palabre.core.memory.ports import MemoryStore
from palabre.core.memory.revising import emptied
from palabre.core.personas.ports import PersonaLibrary
from palabre.kernel.clock import Clock, whole_ms
from palabre.kernel.ids import Nick, PersonaId
from palabre.texts import say


@dataclass(frozen=True, slots=True)
class Editorial:
    """What editors, and those who judge answers, are given.

    Attributes:
        suggests: Whether proposals come by themselves.
        reload: Lets the rooms read the personas again.
    """

    desk: EditorialDesk
    sources: Sources
    proposals: Proposals
    opinions: Opinions
    recordings: Recordings
    suggester: Suggester
    suggests: bool
    library: EditedLibrary
    reload: Callable[[], Awaitable[object]]

    def works(self) -> Iterator[Coroutine[None, None, None]]:
        """Yield what goes on beside."""
        yield follow(self.library, self.reload)
        if self.suggests:
            yield self.suggester.run()


def edited_library(
    settings: Settings, database: Database, written: PersonaLibrary
) -> EditedLibrary:
    """Return the personas of *written* with what editors want laid over them."""
    return EditedLibrary(
        written,
        SqlEditStore(database),
        in_house_words=partial(say, language=settings.language),
        model=settings.models.default_model,
    )


def editorial_stores(database: Database) -> EditorialStores:
    """Return what the desk keeps in *database*."""
    return EditorialStores(
        SqlEditStore(database), SqlFeedbackStore(database), SqlProposalStore(database)
    )


def forgetting(memories: MemoryStore, clock: Clock) -> Callable[[PersonaId, Nick], Awaitable[None]]:
    """Return what has a persona remember nothing, and learn nothing from what was said by then."""

    async def forget(persona_id: PersonaId, nick: Nick) -> None:
        now = whole_ms(clock.now())
        await memories.revise(persona_id, nick, lambda record: emptied(record, now))
        await memories.drop_history(persona_id)

    return forget


def build_editorial(
    settings: Settings,
    database: Database,
    library: EditedLibrary,
    *,
    ports: Ports,
    ledger: Ledger,
    chat: ChatService,
) -> Editorial:
    """Return the desk over *library*, whose changes *chat* sees at once."""
    stores = editorial_stores(database)
    voices = VoiceSamples(settings.data_dir / FOLDER)
    desk = EditorialDesk(
        library,
        stores,
        voices=voices,
        accounts=SqlAccountStore(database),
        ledger=ledger,
        clock=ports.clock,
        ids=ports.ids,
        reload=chat.reload_cast,
        forget=forgetting(ports.memories, ports.clock),
    )
    proposals = Proposals(
        desk, stores, models=ports.models, ledger=ledger, clock=ports.clock, ids=ports.ids
    )
    suggester = Suggester(
        desk,
        proposals,
        stores.feedback,
        cast=lambda: chat.cast,
        is_busy=lambda: chat.is_busy,
        after=settings.editorial.suggest_after,
        telemetry=ports.telemetry,
        clock=ports.clock,
    )
    return Editorial(
        desk,
        Sources(library, stores.edits, ledger),
        proposals,
        Opinions(desk, stores.feedback, clock=ports.clock, ids=ports.ids),
        Recordings(desk, voices, ledger),
        suggester=suggester,
        suggests=settings.editorial.suggest,
        library=library,
        reload=chat.reload_cast,
    )
