"""The accounts of this installation."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from palabre.adapters.secrets.argon2_passwords import Argon2PasswordHasher
from palabre.adapters.storage.sql.accounts import SqlAccountStore
from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.sessions import SqlSessionStore
from palabre.app.database import database_address
from palabre.app.settings import Settings
from palabre.core.auth.accounts import AccountService
from palabre.kernel.clock import Clock


@asynccontextmanager
async def opened_accounts(settings: Settings, clock: Clock) -> AsyncGenerator[AccountService]:
    """Open the database of *settings* and give the accounts in it.

    Raises:
        SetupError: It cannot be opened.
    """
    database = await Database.open(database_address(settings))
    try:
        yield AccountService(
            accounts=SqlAccountStore(database),
            sessions=SqlSessionStore(database),
            hasher=Argon2PasswordHasher(),
            clock=clock,
        )
    finally:
        await database.aclose()
