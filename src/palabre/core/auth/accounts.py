"""Give, change and take back accounts; whoever had one is no longer let in by what was."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from palabre.core.auth.errors import (
    InvalidUsernameError,
    NoAccountError,
    PasswordUnfitError,
    UsernameTakenError,
)
from palabre.core.auth.model import Account, Role
from palabre.core.auth.ports import AccountStore, PasswordHasher, SessionStore
from palabre.kernel.clock import Clock, whole_ms

MAX_USERNAME_CHARS = 40
MIN_PASSWORD_CHARS, MAX_PASSWORD_CHARS = 10, 256

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
    """The accounts of the house. Names are told apart whatever their case."""

    def __init__(
        self,
        *,
        accounts: AccountStore,
        sessions: SessionStore,
        hasher: PasswordHasher,
        clock: Clock,
    ) -> None:
        self._accounts = accounts
        self._sessions = sessions
        self._hasher = hasher
        self._clock = clock

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
            UsernameTakenError: There is one of that name.
        """
        check_username(username)
        if await self._accounts.find(username) is not None:
            raise UsernameTakenError(username=username)

    async def add(self, username: str, role: Role, password: str) -> Changed:
        """Add an account; guests who use its name have to leave it.

        Raises:
            InvalidUsernameError: Nobody can be called like this.
            PasswordUnfitError: *password* is too short, too long, or cannot be typed.
            UsernameTakenError: There is one of that name.
        """
        await self.check_free(username)
        hashed = await self._hashed(password)
        account = Account(username, role, hashed, whole_ms(self._clock.now()))
        await self._accounts.add(account)
        return Changed(account, await self._sessions.remove_of(username))

    async def set_password(self, username: str, password: str) -> Changed:
        """Give an account another password and end its sessions.

        Raises:
            NoAccountError: There is none of that name.
            PasswordUnfitError: *password* is too short, too long, or cannot be typed.
        """
        await self.account(username)
        await self._accounts.set_password(username, await self._hashed(password))
        return await self._changed(username)

    async def set_role(self, username: str, role: Role) -> Changed:
        """Give an account another role and end its sessions, which have the old one.

        Raises:
            NoAccountError: There is none of that name.
        """
        check_username(username)
        await self._accounts.set_role(username, role)
        return await self._changed(username)

    async def remove(self, username: str) -> Changed:
        """Remove an account and end its sessions.

        Raises:
            NoAccountError: There is none of that name.
        """
        account = await self.account(username)
        await self._accounts.remove(username)
        return Changed(account, await self._sessions.remove_of(username))

    async def _changed(self, username: str) -> Changed:
        ended = await self._sessions.remove_of(username)
        return Changed(await self.account(username), ended)

    async def _hashed(self, password: str) -> str:
        check_password(password)
        return await self._hasher.hash(password)


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
    if not (MIN_PASSWORD_CHARS <= len(password) <= MAX_PASSWORD_CHARS and password.isprintable()):
        raise PasswordUnfitError(at_least=MIN_PASSWORD_CHARS, at_most=MAX_PASSWORD_CHARS)
