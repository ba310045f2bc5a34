"""Give, change and take back accounts; whoever had one is no longer let in by what was."""

import re
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass

from palabre.core.audit.model import Actor, Json
from palabre.core.audit.ports import Ledger
from palabre.core.auth.errors import (
    InvalidUsernameError,
    NoAccountError,
    NoSessionError,
    PasswordUnfitError,
    UsernameOfPersonaError,
    UsernameTakenError,
)
from palabre.core.auth.model import Account, Role, Session
from palabre.core.auth.ports import AccountStore, PasswordHasher, SessionStore
from palabre.kernel.clock import Clock, whole_ms
from palabre.kernel.lookalikes import nick_keys

MAX_USERNAME_CHARS = 40
MIN_PASSWORD_CHARS, MAX_PASSWORD_CHARS = 10, 256

_JOINERS = "\u200c\u200d"
"""What keyboards put between letters of some scripts, and within emoji."""

ReservedNames = Callable[[], Awaitable[Collection[str]]]
"""Returns the names of the personas, under which no person can enter the rooms."""

_USERNAME = re.compile(rf"[A-Za-z0-9_]{{1,{MAX_USERNAME_CHARS}}}")


@dataclass(frozen=True, slots=True)
class Changed:
    """An account as it is by now, or was until it was removed.

    Attributes:
        ended_sessions: How many sessions of its name ended by the change.
    """

    account: Account
    ended_sessions: int


class AccountService:
    """The accounts of the house, and who has a session. Names are told apart whatever their case.

    Every change is written down in the book, with *by* whom. An account that has the name of a
    persona, because the persona came later, stays as it is.
    """

    def __init__(
        self,
        *,
        accounts: AccountStore,
        sessions: SessionStore,
        hasher: PasswordHasher,
        ledger: Ledger,
        clock: Clock,
        reserved: ReservedNames,
    ) -> None:
        self._accounts = accounts
        self._sessions = sessions
        self._hasher = hasher
        self._ledger = ledger
        self._clock = clock
        self._reserved = reserved

    async def all(self) -> Sequence[Account]:
        """Return all accounts, by name."""
        return await self._accounts.all()

    async def account(self, username: str) -> Account:
        """Return the account of *username*.

        Raises:
            InvalidUsernameError: Nobody can be called like this.
            NoAccountError: There is none of that name.
        """
        check_username(username)
        found = await self._accounts.find(username)
        if found is None:
            raise NoAccountError(username=username)
        return found

    async def check_free(self, username: str) -> None:
        """Demand that an account may be called *username*.

        Raises:
            InvalidUsernameError: Nobody can be called like this.
            UsernameTakenError: There is one of that name, or of one that looks like it.
            UsernameOfPersonaError: A persona has that name, or one that looks like it.
        """
        check_username(username)
        for each in await self._accounts.all():
            if nick_keys(each.username) & nick_keys(username):
                raise UsernameTakenError(username=each.username)
        for persona in await self._reserved():
            if nick_keys(persona) & nick_keys(username):
                raise UsernameOfPersonaError(persona=persona)

    async def add(self, username: str, role: Role, password: str, *, by: Actor) -> Changed:
        """Add an account; guests who use its name have to leave it.

        Raises:
            InvalidUsernameError: Nobody can be called like this.
            PasswordUnfitError: *password* is too short, too long, or cannot be typed.
            UsernameTakenError: There is one of that name, or of one that looks like it.
            UsernameOfPersonaError: A persona has that name, or one that looks like it.
        """
        await self.check_free(username)
        hashed = await self._hashed(password)
        account = Account(username, role, hashed, whole_ms(self._clock.now()))
        async with self._ledger.recording(by, "user.add", username) as change:
            await self._accounts.add(account)
            ended = await self._sessions.remove_of(username)
            change.after = _state(account, ended)
        return Changed(account, ended)

    async def change(
        self, username: str, *, by: Actor, role: Role | None = None, password: str | None = None
    ) -> Changed:
        """Give an account another role, another password or both, and end its sessions.

        Raises:
            NoAccountError: There is none of that name.
            PasswordUnfitError: *password* is too short, too long, or cannot be typed.
        """
        await self.account(username)
        hashed = None if password is None else await self._hashed(password)
        async with self._ledger.recording(by, "user.update", username) as change:
            before = await self.account(username)
            change.before, change.target = _state(before), before.username
            if hashed is not None:
                await self._accounts.set_password(username, hashed)
            if role is not None:
                await self._accounts.set_role(username, role)
            ended = await self._sessions.remove_of(username)
            account = await self.account(username)
            change.after = _state(account, ended) | {"newPassword": hashed is not None}
        return Changed(account, ended)

    async def remove(self, username: str, *, by: Actor) -> Changed:
        """Remove an account and end its sessions.

        Raises:
            NoAccountError: There is none of that name.
        """
        async with self._ledger.recording(by, "user.remove", username) as change:
            account = await self.account(username)
            await self._accounts.remove(username)
            ended = await self._sessions.remove_of(username)
            change.before, change.target = _state(account), account.username
            change.after = {"endedSessions": ended}
        return Changed(account, ended)

    async def sessions(self, limit: int) -> Sequence[Session]:
        """Return the newest *limit* sessions that have not ended, newest first."""
        return await self._sessions.current(self._clock.now(), limit)

    async def end_session(self, fingerprint: str, *, by: Actor) -> Session:
        """End the session of *fingerprint*; return it as it was.

        Raises:
            NoSessionError: There is none, or it has ended.
        """
        async with self._ledger.recording(by, "session.end", fingerprint) as change:
            found = await self._sessions.find(fingerprint)
            if found is None or found.expires_at <= self._clock.now():
                raise NoSessionError
            await self._sessions.remove(fingerprint)
            change.before = {"username": found.username, "role": found.role.value}
        return found

    async def end_sessions_of(self, username: str, *, by: Actor) -> int:
        """End all sessions of *username*, who need not have an account; return how many.

        Raises:
            InvalidUsernameError: Nobody can be called like this.
        """
        check_username(username)
        async with self._ledger.recording(by, "session.end_all", username) as change:
            ended = await self._sessions.remove_of(username)
            change.after = {"endedSessions": ended}
        return ended

    async def _hashed(self, password: str) -> str:
        check_password(password)
        return await self._hasher.hash(password)


def _state(account: Account, ended_sessions: int | None = None) -> dict[str, Json]:
    state: dict[str, Json] = {"username": account.username, "role": account.role.value}
    return state if ended_sessions is None else state | {"endedSessions": ended_sessions}


def check_username(username: str) -> None:
    """Demand that *username* is `[A-Za-z0-9_]{1,40}`.

    Raises:
        InvalidUsernameError: It is not.
    """
    if not _USERNAME.fullmatch(username):
        raise InvalidUsernameError(limit=MAX_USERNAME_CHARS)


def check_password(password: str) -> None:
    """Demand that *password* is long enough and can be typed.

    Raises:
        PasswordUnfitError: It is not so.
    """
    is_typed = all(each.isprintable() or each in _JOINERS for each in password)
    if not (MIN_PASSWORD_CHARS <= len(password) <= MAX_PASSWORD_CHARS and is_typed):
        raise PasswordUnfitError(at_least=MIN_PASSWORD_CHARS, at_most=MAX_PASSWORD_CHARS)
