"""Accounts, sessions and the book of changes of this installation."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from palabre.adapters.secrets.argon2_passwords import Argon2PasswordHasher
from palabre.adapters.secrets.random_secrets import RandomSecrets
from palabre.adapters.storage.sql.accounts import SqlAccountStore
from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.ledger import SqlLedger
from palabre.adapters.storage.sql.sessions import SqlSessionStore
from palabre.app.database import opened_database
from palabre.app.editorial import edited_library
from palabre.app.personas import library_for
from palabre.app.settings import Settings
from palabre.app.settings.sections import ServerSettings
from palabre.core.auth.accounts import AccountService, ReservedNames
from palabre.core.auth.ports import PasswordHasher
from palabre.core.auth.service import AuthRules, AuthService
from palabre.core.auth.watch import SessionWatch
from palabre.core.editorial.library import EditedLibrary
from palabre.kernel.clock import Clock
from palabre.kernel.hosts import is_loopback


@asynccontextmanager
async def opened_accounts(settings: Settings, clock: Clock) -> AsyncGenerator[AccountService]:
    """Open the database of *settings* and give the accounts in it.

    Raises:
        SetupError: It cannot be opened.
    """
    async with opened_database(settings) as database:
        library = edited_library(settings, database, library_for(settings))
        yield build_accounts(database, Argon2PasswordHasher(), clock, names_in(library))


def build_accounts(
    database: Database, hasher: PasswordHasher, clock: Clock, reserved: ReservedNames
) -> AccountService:
    """Return the accounts in *database*."""
    return AccountService(
        accounts=SqlAccountStore(database),
        sessions=SqlSessionStore(database),
        hasher=hasher,
        ledger=SqlLedger(database, clock),
        clock=clock,
        reserved=reserved,
    )


def names_in(library: EditedLibrary) -> ReservedNames:
    """Return what gives the names of the personas in *library*, the silent ones as well."""

    async def names() -> tuple[str, ...]:
        return tuple(each.persona.nick for each in (await library.desk()).personas)

    return names


def build_auth(
    settings: Settings, database: Database, hasher: PasswordHasher, clock: Clock
) -> AuthService:
    """Return who lets people in, by the accounts and sessions in *database*."""
    token = settings.auth.admin_token
    return AuthService(
        accounts=SqlAccountStore(database),
        sessions=SqlSessionStore(database),
        hasher=hasher,
        secrets=RandomSecrets(),
        clock=clock,
        rules=AuthRules(
            admin_token=token.get_secret_value() if token else "",
            guests=lets_guests_in(settings),
        ),
    )


def build_watch(database: Database, clock: Clock) -> SessionWatch:
    """Return who notices that sessions in *database* have ended."""
    return SessionWatch(SqlSessionStore(database), clock)


def lets_guests_in(settings: Settings) -> bool:
    """Whether a name without proof gets a viewer's session: as set, else where all is private."""
    guests = settings.auth.guests
    return is_private(settings.server) if guests is None else guests


def is_private(server: ServerSettings) -> bool:
    """Whether only this machine's users reach us: not even a proxy lets others in."""
    return is_loopback(server.host) and not (server.allowed_hosts or server.trusted_proxies)
