"""The editorial desk for whoever sits at the machine; a server may be running."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from palabre.adapters.speech.samples import FOLDER, VoiceSamples
from palabre.adapters.storage.sql.accounts import SqlAccountStore
from palabre.adapters.storage.sql.ledger import SqlLedger
from palabre.adapters.telemetry.prometheus import PrometheusTelemetry
from palabre.app.clock import SystemClock, SystemIds
from palabre.app.database import database_address, opened_database
from palabre.app.editorial import edited_library, editorial_stores, forgetting
from palabre.app.personas import library_for
from palabre.app.settings import Settings
from palabre.app.storage import memories_of
from palabre.core.editorial.desk import EditorialDesk
from palabre.core.editorial.opinions import Opinions
from palabre.core.editorial.ports import EditorialStores
from palabre.core.personas.model import Cast


@dataclass(frozen=True, slots=True)
class DeskAtHand:
    """What there is without a model; a server that runs sees the changes within seconds."""

    desk: EditorialDesk
    opinions: Opinions
    stores: EditorialStores


@asynccontextmanager
async def opened_desk(settings: Settings) -> AsyncGenerator[DeskAtHand]:
    """Open the database of *settings* and give the desk over it.

    Raises:
        SetupError: It cannot be opened, or no persona can be read.
    """
    clock, ids = SystemClock(), SystemIds()
    async with opened_database(settings) as database:
        library = edited_library(settings, database, library_for(settings))
        stores = editorial_stores(database)
        desk = EditorialDesk(
            library,
            stores,
            voices=VoiceSamples(settings.data_dir / FOLDER),
            accounts=SqlAccountStore(database),
            ledger=SqlLedger(database, clock),
            clock=clock,
            ids=ids,
            reload=library.load,
            forget=forgetting(memories_of(settings, database, PrometheusTelemetry()), clock),
        )
        yield DeskAtHand(desk, Opinions(desk, stores.feedback, clock=clock, ids=ids), stores)


async def edited_cast(settings: Settings) -> Cast:
    """Return those who speak, as editors want them.

    Raises:
        SetupError: As `opened_desk`.
    """
    address = database_address(settings)
    library = library_for(settings)
    if address.file is not None and not address.file.exists():
        return await library.load()  # nothing was edited, and reading makes no database
    async with opened_database(settings) as database:
        return await edited_library(settings, database, library).load()
