"""What accounts and sessions need from the outside."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Protocol

from palabre.core.auth.model import Account, Role, Session


class SessionStore(Protocol):
    """Keeps sessions by the fingerprint of their ids."""

    async def add(self, session: Session) -> None:
        """Keep *session*.

        Raises:
            StorageError: It could not be kept.
        """
        ...

    async def find(self, fingerprint: str) -> Session | None:
        """Return the session of that fingerprint, ended or not; None if there is none."""
        ...

    async def still(self, fingerprints: Collection[str], now: datetime) -> frozenset[str]:
        """Return those of *fingerprints* whose sessions are there and end after *now*."""
        ...

    async def current(self, now: datetime, limit: int) -> Sequence[Session]:
        """Return the newest *limit* sessions that end after *now*, newest first."""
        ...

    async def remove(self, fingerprint: str) -> None:
        """Forget the session of that fingerprint, if there is one."""
        ...

    async def remove_of(self, username: str) -> int:
        """Forget all sessions of *username*, in whatever case; return how many there were."""
        ...

    async def remove_ended(self, now: datetime) -> int:
        """Forget the sessions that ended at *now* or before; return how many."""
        ...


class AccountStore(Protocol):
    """Keeps accounts by their usernames, in whatever case."""

    async def add(self, account: Account) -> None:
        """Keep the new *account*.

        Raises:
            UsernameTakenError: There is one of that name.
        """
        ...

    async def find(self, username: str) -> Account | None:
        """Return the account of *username*; None if there is none."""
        ...

    async def all(self) -> Sequence[Account]:
        """Return all accounts, by name."""
        ...

    async def set_password(self, username: str, password_hash: str) -> None:
        """Give an account another password.

        Raises:
            NoAccountError: There is none of that name.
        """
        ...

    async def set_role(self, username: str, role: Role) -> None:
        """Give an account another role.

        Raises:
            NoAccountError: There is none of that name.
        """
        ...

    async def remove(self, username: str) -> None:
        """Forget an account.

        Raises:
            NoAccountError: There is none of that name.
        """
        ...


class PasswordHasher(Protocol):
    """Hashes passwords slowly, a few at once, off the event loop.

    Both raise LoginsBusyError where too many wait.
    """

    async def hash(self, password: str) -> str:
        """Return the hash of *password*, in the usual text form."""
        ...

    async def verify(self, password: str, password_hash: str | None) -> bool:
        """Say whether *password* is the hashed one.

        None stands for the hash of an account that does not exist: it takes as long, and no
        password is the right one.
        """
        ...


class Secrets(Protocol):
    """A source of what nobody can guess."""

    def session_id(self) -> str:
        """Return 256 new random bits in hex."""
        ...
