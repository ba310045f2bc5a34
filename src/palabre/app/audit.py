"""The book of changes of this installation, for whoever sits at the machine."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.ledger import SqlLedger
from palabre.app.database import database_address
from palabre.app.settings import Settings
from palabre.core.audit.ports import Ledger
from palabre.kernel.clock import Clock


@asynccontextmanager
async def opened_ledger(settings: Settings, clock: Clock) -> AsyncGenerator[Ledger]:
    """Open the database of *settings* and give the book in it; a server may be running.

    Raises:
        SetupError: It cannot be opened.
    """
    database = await Database.open(database_address(settings))
    try:
        yield SqlLedger(database, clock)
    finally:
        await database.aclose()
