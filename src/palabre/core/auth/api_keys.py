"""Keys by which programs come in: given once, kept as fingerprints, revoked at once."""

import hmac
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol

from palabre.core.audit.model import Actor, Json
from palabre.core.audit.ports import Ledger
from palabre.core.auth.key_errors import (
    KeyLifeUnfitError,
    KeyNameUnfitError,
    KeyRefusedError,
    KeyRequiredError,
    NoKeyError,
    NoScopesError,
    ScopeMissingError,
)
from palabre.core.auth.ports import Secrets
from palabre.core.auth.service import fingerprint
from palabre.kernel.clock import Clock, iso_utc, whole_ms
from palabre.kernel.ids import Ids

PREFIX = "pal_"
"""Begins every key, so that people and scanners know one that lies around."""

MAX_KEY_CHARS = 200
MAX_NAME_CHARS = 60
MAX_LIFE_DAYS = 3650

NOTE_USE_EVERY = timedelta(minutes=1)
"""The last use is exact to that: a request does not cost a write."""


class Scope(StrEnum):
    """One kind of thing that a key opens."""

    CHAT = "chat"
    EMBEDDINGS = "embeddings"
    AUDIO = "audio"
    MCP = "mcp"


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key as it is kept.

    Attributes:
        id: Names it in lists and logs; opens nothing.
        name: What it was given for; unique whatever its case.
        fingerprint: SHA-256 of the key, in hex; the key itself is kept nowhere.
        expires_at: From then on it opens nothing; None is never.
        used_at: When it was last used, to `NOTE_USE_EVERY`; None if never.
    """

    id: str
    name: str
    fingerprint: str
    scopes: frozenset[Scope]
    created_at: datetime
    expires_at: datetime | None = None
    used_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key that was just made; *secret* is shown this once."""

    secret: str
    key: ApiKey


class ApiKeyStore(Protocol):
    """Keeps keys by their fingerprints. All raise `StorageError` when the store fails."""

    async def add(self, key: ApiKey) -> None:
        """Keep the new *key*.

        Raises:
            KeyNameTakenError: There is one of that name.
        """
        ...

    async def find(self, fingerprint: str) -> ApiKey | None:
        """Return the key of that fingerprint, ended or not; None if there is none."""
        ...

    async def all(self) -> Sequence[ApiKey]:
        """Return all keys, oldest first."""
        ...

    async def note_use(self, key_id: str, at: datetime) -> None:
        """Note that a key was used; one that is gone stays so."""
        ...

    async def remove(self, key_id: str) -> None:
        """Forget a key, if there is one of that id."""
        ...


class ApiKeys:
    """The keys of the house."""

    def __init__(
        self, *, store: ApiKeyStore, ledger: Ledger, secrets: Secrets, clock: Clock, ids: Ids
    ) -> None:
        self._store = store
        self._ledger = ledger
        self._secrets = secrets
        self._clock = clock
        self._ids = ids

    async def all(self) -> Sequence[ApiKey]:
        """Return all keys, oldest first."""
        return await self._store.all()

    async def create(
        self, actor: Actor, name: str, scopes: Collection[Scope], life: timedelta | None = None
    ) -> NewKey:
        """Make a key that opens *scopes*, for ever if *life* is None.

        Raises:
            KeyNameUnfitError: *name* is empty, too long, or cannot be seen.
            KeyNameTakenError: There is one of that name.
            KeyLifeUnfitError: *life* is no time, or longer than ten years.
            NoScopesError: There are no *scopes*.
        """
        _check(name, scopes, life)
        now = whole_ms(self._clock.now())
        secret = PREFIX + self._secrets.session_id()
        ends = now + life if life else None
        key = ApiKey(self._ids.new("key"), name, fingerprint(secret), frozenset(scopes), now, ends)
        async with self._ledger.recording(actor, "api_key.create", key.id) as change:
            await self._store.add(key)
            change.after = _state(key)
        return NewKey(secret, key)

    async def named(self, name: str) -> ApiKey:
        """Return the key of that name, in whatever case, or of that id.

        Raises:
            NoKeyError: There is none.
        """
        wanted = name.casefold()
        for key in await self._store.all():
            if name == key.id or wanted == key.name.casefold():
                return key
        raise NoKeyError(name=name)

    async def revoke(self, actor: Actor, name: str) -> ApiKey:
        """Take a key back: from the next request on it opens nothing.

        Raises:
            NoKeyError: There is none of that name or id.
        """
        key = await self.named(name)
        async with self._ledger.recording(actor, "api_key.revoke", key.id) as change:
            await self._store.remove(key.id)
            change.before = _state(key)
        return key

    async def admit(self, secret: str, scope: Scope | None = None) -> ApiKey:
        """Return the key that *secret* is, if it opens *scope*; None asks for no scope.

        Raises:
            KeyRequiredError: *secret* is empty.
            KeyRefusedError: It is no key, has ended, or was revoked.
            ScopeMissingError: It does not open *scope*.
        """
        if not secret:
            raise KeyRequiredError
        key = await self._known(secret)
        now = self._clock.now()
        if key is None or (key.expires_at and key.expires_at <= now):
            raise KeyRefusedError
        if scope is not None and scope not in key.scopes:
            raise ScopeMissingError(scope=scope.value)
        if key.used_at is None or now - key.used_at >= NOTE_USE_EVERY:
            await self._store.note_use(key.id, whole_ms(now))
        return key

    async def _known(self, secret: str) -> ApiKey | None:
        """Return the key that *secret* is. It is found by its hash, of which time tells nothing."""
        if len(secret) > MAX_KEY_CHARS:
            return None
        shown = fingerprint(secret)
        key = await self._store.find(shown)
        return key if key and hmac.compare_digest(key.fingerprint, shown) else None


def _check(name: str, scopes: Collection[Scope], life: timedelta | None) -> None:
    if not 1 <= len(name) <= MAX_NAME_CHARS or not name.isprintable() or name != name.strip():
        raise KeyNameUnfitError(limit=MAX_NAME_CHARS)
    if not scopes:
        raise NoScopesError(scopes=", ".join(Scope))
    if life is not None and not timedelta() < life <= timedelta(days=MAX_LIFE_DAYS):
        raise KeyLifeUnfitError(limit=MAX_LIFE_DAYS)


def _state(key: ApiKey) -> Mapping[str, Json]:
    scopes: list[Json] = [*sorted(key.scopes)]
    ends = iso_utc(key.expires_at) if key.expires_at else None
    return {"name": key.name, "scopes": scopes, "expiresAt": ends}
