"""Passwords by Argon2id (RFC 9106)."""

import asyncio

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError


class Argon2PasswordHasher:
    """`PasswordHasher` with the parameters that its library recommends, in threads."""

    def __init__(self) -> None:
        self._hasher = PasswordHasher()
        self._nobodys = self._hasher.hash("")

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
