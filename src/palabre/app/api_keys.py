"""The keys by which programs come in to this installation."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from palabre.adapters.secrets.random_secrets import RandomSecrets
from palabre.adapters.storage.sql.api_keys import SqlApiKeyStore
from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.ledger import SqlLedger
from palabre.app.clock import SystemClock, SystemIds
from palabre.app.database import opened_database
from palabre.app.settings import Settings
from palabre.core.audit.ports import Ledger
from palabre.core.auth.api_keys import ApiKeys
from palabre.kernel.clock import Clock
from palabre.kernel.ids import Ids


@asynccontextmanager
async def opened_api_keys(settings: Settings) -> AsyncGenerator[ApiKeys]:
    """Open the database of *settings* and give the keys in it.

    Raises:
        SetupError: It cannot be opened.
    """
    clock = SystemClock()
    async with opened_database(settings) as database:
        yield build_api_keys(database, SqlLedger(database, clock), clock, SystemIds())


def build_api_keys(database: Database, ledger: Ledger, clock: Clock, ids: Ids) -> ApiKeys:
    """Return the keys in *database*, whose changes go to *ledger*."""
    store = SqlApiKeyStore(database)
    return ApiKeys(store=store, ledger=ledger, secrets=RandomSecrets(), clock=clock, ids=ids)
