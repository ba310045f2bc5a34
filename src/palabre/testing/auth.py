"""Accounts and sessions in memory, and passwords that hash at once."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import datetime

from palabre.core.auth.errors import NoAccountError, UsernameTakenError
from palabre.core.auth.model import Account, Role, Session


class MemorySessionStore:
    """`SessionStore` in memory.

    Attributes:
        sessions: By fingerprint.
    """

    def __init__(self) -> None:
        self.sessions: dict[str, Session] = {}

    async def add(self, session: Session) -> None:
        self.sessions[session.fingerprint] = session

    async def find(self, fingerprint: str) -> Session | None:
        return self.sessions.get(fingerprint)

    async def still(self, fingerprints: Collection[str], now: datetime) -> frozenset[str]:
        lasting = {key for key, each in self.sessions.items() if each.expires_at > now}
        return frozenset(lasting & set(fingerprints))

    async def current(self, now: datetime, limit: int) -> Sequence[Session]:
        left = sorted(self.sessions.values(), key=lambda each: each.fingerprint)
        left.sort(key=lambda each: each.created_at, reverse=True)
        return [each for each in left if each.expires_at > now][:limit]

    async def remove(self, fingerprint: str) -> None:
        self.sessions.pop(fingerprint, None)

    async def remove_of(self, username: str) -> int:
        return self._keep(lambda each: each.username.casefold() != username.casefold())

    async def remove_ended(self, now: datetime) -> int:
        return self._keep(lambda each: each.expires_at > now)

    def _keep(self, is_kept: "Callable[[Session], bool]") -> int:
        before = len(self.sessions)
        self.sessions = {key: each for key, each in self.sessions.items() if is_kept(each)}
        return before - len(self.sessions)


class MemoryAccountStore:
    """`AccountStore` in memory."""

    def __init__(self, *accounts: Account) -> None:
        self._accounts = {each.username.casefold(): each for each in accounts}

    async def add(self, account: Account) -> None:
        if account.username.casefold() in self._accounts:
            raise UsernameTakenError(username=account.username)
        self._accounts[account.username.casefold()] = account

    async def find(self, username: str) -> Account | None:
        return self._accounts.get(username.casefold())

    async def all(self) -> Sequence[Account]:
        return [self._accounts[key] for key in sorted(self._accounts)]

    async def set_password(self, username: str, password_hash: str) -> None:
        self._change(username, lambda each: replace(each, password_hash=password_hash))

    async def set_role(self, username: str, role: Role) -> None:
        self._change(username, lambda each: replace(each, role=role))

    async def remove(self, username: str) -> None:
        if self._accounts.pop(username.casefold(), None) is None:
            raise NoAccountError(username=username)

    def _change(self, username: str, changed: "Callable[[Account], Account]") -> None:
        key = username.casefold()
        if key not in self._accounts:
            raise NoAccountError(username=username)
        self._accounts[key] = changed(self._accounts[key])


class PlainHasher:
    """`PasswordHasher` that hashes nothing.

    Attributes:
        verified: What `verify` was asked, in order.
    """

    def __init__(self) -> None:
        self.verified: list[tuple[str, str | None]] = []

    async def hash(self, password: str) -> str:
        return f"plain:{password}"

    async def verify(self, password: str, password_hash: str | None) -> bool:
        self.verified.append((password, password_hash))
        return password_hash == f"plain:{password}"


class CountingSecrets:
    """Numbers session ids from 1: a test can foresee them."""

    def __init__(self) -> None:
        self._given = 0

    def session_id(self) -> str:
        self._given += 1
        return f"{self._given:064x}"
