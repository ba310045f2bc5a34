"""Passwords by Argon2id (RFC 9106)."""

import asyncio
from base64 import b64encode

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from argon2.low_level import ARGON2_VERSION


class Argon2PasswordHasher:
    """`PasswordHasher` with the parameters that its library recommends, in threads."""

    def __init__(self) -> None:
        self._hasher = PasswordHasher()
        self._nobodys = _nobodys(self._hasher)

    async def hash(self, password: str) -> str:
        return await asyncio.to_thread(self._hasher.hash, password)

    async def verify(self, password: str, password_hash: str | None) -> bool:
        is_right = await asyncio.to_thread(self._verify, password, password_hash or self._nobodys)
        return is_right and password_hash is not None

    def _verify(self, password: str, password_hash: str) -> bool:
        try:
            return self._hasher.verify(password_hash, password)
        except (VerificationError, InvalidHashError):
            return False


def _nobodys(hasher: PasswordHasher) -> str:
    """Return a hash that takes as long to compare as those of *hasher*, without making one."""
    costs = f"m={hasher.memory_cost},t={hasher.time_cost},p={hasher.parallelism}"
    salt, digest = (
        b64encode(bytes(length)).decode().rstrip("=")
        for length in (hasher.salt_len, hasher.hash_len)
    )
    return f"$argon2id$v={ARGON2_VERSION}${costs}${salt}${digest}"
