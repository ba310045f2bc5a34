"""Keys of programs, in memory."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from palabre.core.auth.api_keys import ApiKey
from palabre.core.auth.key_errors import KeyNameTakenError


class MemoryApiKeyStore:
    """`ApiKeyStore` in memory.

    Attributes:
        uses: Every use that was noted, in order: the key's id and the moment.
    """

    def __init__(self) -> None:
        self.uses: list[tuple[str, datetime]] = []
        self._keys: dict[str, ApiKey] = {}

    async def add(self, key: ApiKey) -> None:
        if any(each.name.casefold() == key.name.casefold() for each in self._keys.values()):
            raise KeyNameTakenError(name=key.name)
        self._keys[key.id] = key

    async def find(self, fingerprint: str) -> ApiKey | None:
        found = (each for each in self._keys.values() if each.fingerprint == fingerprint)
        return next(found, None)

    async def all(self) -> Sequence[ApiKey]:
        return sorted(self._keys.values(), key=lambda each: (each.created_at, each.id))

    async def note_use(self, key_id: str, at: datetime) -> None:
        self.uses.append((key_id, at))
        if key_id in self._keys:
            self._keys[key_id] = replace(self._keys[key_id], used_at=at)

    async def remove(self, key_id: str) -> None:
        self._keys.pop(key_id, None)
