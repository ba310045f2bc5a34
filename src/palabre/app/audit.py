"""The book of changes of this installation, for whoever sits at the machine."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from palabre.adapters.storage.sql.ledger import SqlLedger
from palabre.app.database import opened_database
from palabre.app.settings import Settings
from palabre.core.audit.ports import Ledger
from palabre.kernel.clock import Clock


@asynccontextmanager
async def opened_ledger(settings: Settings, clock: Clock) -> AsyncGenerator[Ledger]:
    """Open the database of *settings* and give the book in it; a server may be running.

    Raises:
        SetupError: It cannot be opened.
    """
    async with opened_database(settings) as database:
        yield SqlLedger(database, clock)
