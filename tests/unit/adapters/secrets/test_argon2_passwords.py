import asyncio
import threading

import pytest
from argon2 import PasswordHasher, extract_parameters
from argon2.exceptions import VerifyMismatchError

from palabre.adapters.secrets.argon2_passwords import (
    HASHES_AT_ONCE,
    MAX_WAITING,
    Argon2PasswordHasher,
)
from palabre.adapters.secrets.random_secrets import RandomSecrets
from palabre.core.auth.errors import LoginsBusyError


async def test_only_the_password_that_was_hashed_is_right() -> None:
    hasher = Argon2PasswordHasher()
    first, again = await hasher.hash("un été à Nîmes"), await hasher.hash("un été à Nîmes")
    assert first != again
    assert first.startswith("$argon2id$")
    assert await hasher.verify("un été à Nîmes", first)
    assert not await hasher.verify("un ete a Nimes", first)
    assert not await hasher.verify("", first)


async def test_what_is_no_hash_is_nobodys_password() -> None:
    hasher = Argon2PasswordHasher()
    for broken in ("", "plain", "$argon2id$v=19$m=1"):
        assert not await hasher.verify("x", broken)
    assert not await hasher.verify("", None)


async def test_an_account_that_does_not_exist_costs_as_much_as_one_that_does() -> None:
    hasher = Argon2PasswordHasher()
    assert extract_parameters(hasher._nobodys) == extract_parameters(await hasher.hash("x"))
    with pytest.raises(VerifyMismatchError):  # it was compared, not refused for its form
        PasswordHasher().verify(hasher._nobodys, "x")


async def test_hashing_leaves_the_event_loop_alone() -> None:
    hasher = Argon2PasswordHasher()
    work = [asyncio.create_task(hasher.hash("x")) for _ in range(4)]
    await asyncio.sleep(0)
    assert not any(each.done() for each in work), "one turn of the loop was enough for it"
    await asyncio.gather(*work)


async def test_a_password_is_the_same_however_its_accents_are_typed() -> None:
    hasher = Argon2PasswordHasher()
    together, apart = "\u00e9t\u00e9", "e\u0301te\u0301"
    assert await hasher.verify(apart, await hasher.hash(together))
    assert await hasher.verify(together, await hasher.hash(apart))


async def test_a_crowd_that_logs_in_takes_no_thread_from_others() -> None:
    hasher, others = Argon2PasswordHasher(), set(threading.enumerate())
    work = [asyncio.create_task(hasher.verify("x", None)) for _ in range(12)]
    await asyncio.sleep(0)
    await asyncio.to_thread(lambda: None)
    done = sum(each.done() for each in work)
    assert done <= HASHES_AT_ONCE
    own = set(threading.enumerate()) - others
    assert 0 < len([each for each in own if "passwords" in each.name]) <= HASHES_AT_ONCE
    for each in work:
        each.cancel()
    await asyncio.gather(*work, return_exceptions=True)


async def test_who_would_wait_too_long_is_told_at_once_and_when_to_come_again() -> None:
    hasher = Argon2PasswordHasher()
    work = [asyncio.create_task(hasher.verify("x", None)) for _ in range(MAX_WAITING)]
    await asyncio.sleep(0)
    with pytest.raises(LoginsBusyError) as refused:
        await hasher.verify("x", None)
    assert refused.value.data["retry_after_s"]
    for each in work:
        each.cancel()
    await asyncio.gather(*work, return_exceptions=True)
    assert not await hasher.verify("x", None)


def test_session_ids_have_256_bits_and_no_two_are_the_same() -> None:
    ids = {RandomSecrets().session_id() for _ in range(1000)}
    assert len(ids) == 1000
    assert {len(each) for each in ids} == {64}
