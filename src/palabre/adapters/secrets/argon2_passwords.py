"""Passwords by Argon2id (RFC 9106)."""

import asyncio
import unicodedata
from base64 import b64encode
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from argon2.low_level import ARGON2_VERSION

from palabre.core.auth.errors import LoginsBusyError

HASHES_AT_ONCE = 2
"""Each takes 64 MiB and some processors."""

MAX_WAITING = 64
"""More would wait longer than anybody who logs in."""

RETRY_AFTER_S = 15

R = TypeVar("R")


class Argon2PasswordHasher:
    """`PasswordHasher` with the parameters that its library recommends, in threads of its own.

    Where accents are typed apart from their letters, it is the same password (RFC 8265 §4.2).
    """

    def __init__(self) -> None:
        self._hasher = PasswordHasher()
        self._nobodys = _nobodys(self._hasher)
        self._threads = ThreadPoolExecutor(HASHES_AT_ONCE, thread_name_prefix="passwords")
        self._waiting = 0

    async def hash(self, password: str) -> str:
        return await self._in_turn(lambda: self._hasher.hash(_composed(password)))

    async def verify(self, password: str, password_hash: str | None) -> bool:
        compared = password_hash or self._nobodys
        is_right = await self._in_turn(lambda: self._verify(_composed(password), compared))
        return is_right and password_hash is not None

    async def _in_turn(self, work: Callable[[], R]) -> R:
        if self._waiting >= MAX_WAITING:
            raise LoginsBusyError(retry_after_s=RETRY_AFTER_S)
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)
        finally:
            self._waiting -= 1

    def _verify(self, password: str, password_hash: str) -> bool:
        try:
            return self._hasher.verify(password_hash, password)
        except (VerificationError, InvalidHashError):
            return False


def _composed(password: str) -> str:
    return unicodedata.normalize("NFC", password)


def _nobodys(hasher: PasswordHasher) -> str:
    """Return a hash that takes as long to compare as those of *hasher*, without making one."""
    costs = f"m={hasher.memory_cost},t={hasher.time_cost},p={hasher.parallelism}"
    salt, digest = (
        b64encode(bytes(length)).decode().rstrip("=")
        for length in (hasher.salt_len, hasher.hash_len)
    )
    return f"$argon2id$v={ARGON2_VERSION}${costs}${salt}${digest}"
