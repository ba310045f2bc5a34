import hashlib
import json
from datetime import timedelta

import pytest

from palabre.core.audit.model import THE_MACHINE
from palabre.core.auth.api_keys import MAX_KEY_CHARS, ApiKeys, Scope
from palabre.core.auth.key_errors import (
    KeyLifeUnfitError,
    KeyNameTakenError,
    KeyNameUnfitError,
    KeyRefusedError,
    KeyRequiredError,
    NoKeyError,
    NoScopesError,
    ScopeMissingError,
)
from palabre.testing.api_keys import MemoryApiKeyStore
from palabre.testing.audit import MemoryLedger
from palabre.testing.auth import CountingSecrets
from palabre.testing.clock import FrozenClock
from palabre.testing.ids import CountingIds


class House:
    def __init__(self) -> None:
        self.clock = FrozenClock()
        self.store = MemoryApiKeyStore()
        self.ledger = MemoryLedger(self.clock)
        self.keys = ApiKeys(
            store=self.store,
            ledger=self.ledger,
            secrets=CountingSecrets(),
            clock=self.clock,
            ids=CountingIds(),
        )

    async def key(self, name="bot", scopes=(Scope.CHAT,), life=None):
        return await self.keys.create(THE_MACHINE, name, scopes, life)


async def test_a_key_opens_what_it_is_for_and_nothing_else() -> None:
    house = House()
    new = await house.key()
    assert (await house.keys.admit(new.secret, Scope.CHAT)).id == new.key.id
    with pytest.raises(ScopeMissingError) as caught:
        await house.keys.admit(new.secret, Scope.MCP)
    assert caught.value.data == {"scope": "mcp"}


async def test_what_asks_for_no_scope_takes_every_key() -> None:
    house = House()
    new = await house.key(scopes=(Scope.AUDIO,))
    assert (await house.keys.admit(new.secret)).id == new.key.id


async def test_a_key_has_256_bits_and_only_its_hash_is_kept() -> None:
    house = House()
    new = await house.key()
    assert new.secret == "pal_" + f"{1:064x}"
    assert new.key.fingerprint == hashlib.sha256(new.secret.encode()).hexdigest()
    assert new.secret not in repr(await house.keys.all())
    assert new.secret not in repr(house.ledger.book)


@pytest.mark.parametrize("shown", ["pal_x", "x", "pal_" + "0" * 64, "x" * (MAX_KEY_CHARS + 1), "é"])
async def test_what_is_no_key_opens_nothing(shown: str) -> None:
    house = House()
    await house.key()
    with pytest.raises(KeyRefusedError):
        await house.keys.admit(shown, Scope.CHAT)


async def test_no_key_is_told_apart_from_a_wrong_one() -> None:
    with pytest.raises(KeyRequiredError):
        await House().keys.admit("", Scope.CHAT)


async def test_a_fingerprint_is_no_key() -> None:
    house = House()
    new = await house.key()
    with pytest.raises(KeyRefusedError):
        await house.keys.admit(new.key.fingerprint, Scope.CHAT)


async def test_a_key_ends_when_its_life_does() -> None:
    house = House()
    new = await house.key(life=timedelta(days=1))
    house.clock.advance(86_399)
    await house.keys.admit(new.secret, Scope.CHAT)
    house.clock.advance(1)
    with pytest.raises(KeyRefusedError):
        await house.keys.admit(new.secret, Scope.CHAT)


async def test_a_revoked_key_is_refused_at_once() -> None:
    house = House()
    new = await house.key()
    await house.keys.admit(new.secret, Scope.CHAT)
    await house.keys.revoke(THE_MACHINE, "BOT")
    with pytest.raises(KeyRefusedError):
        await house.keys.admit(new.secret, Scope.CHAT)
    with pytest.raises(NoKeyError):
        await house.keys.revoke(THE_MACHINE, "bot")


async def test_a_key_is_revoked_by_its_id_too() -> None:
    house = House()
    new = await house.key()
    await house.keys.revoke(THE_MACHINE, new.key.id)
    assert await house.keys.all() == []


async def test_what_is_given_and_taken_back_is_in_the_book_without_the_key() -> None:
    house = House()
    new = await house.key(scopes=(Scope.MCP, Scope.CHAT), life=timedelta(days=2))
    await house.keys.revoke(THE_MACHINE, "bot")
    given, revoked = house.ledger.book
    assert (given.action, revoked.action) == ("api_key.create", "api_key.revoke")
    assert given.target == revoked.target == new.key.id
    state = json.loads(given.after)
    assert (state["name"], state["scopes"]) == ("bot", ["chat", "mcp"])
    assert given.after == revoked.before


async def test_the_last_use_is_written_once_a_minute() -> None:
    house = House()
    new = await house.key()
    for _ in range(5):
        await house.keys.admit(new.secret, Scope.CHAT)
        house.clock.advance(20)
    assert len(house.store.uses) == 2


@pytest.mark.parametrize("name", ["", " bot", "a\nb", "x" * 61])
async def test_a_name_that_cannot_be_read_is_refused(name: str) -> None:
    house = House()
    with pytest.raises(KeyNameUnfitError):
        await house.key(name)
    assert house.ledger.book == []


async def test_a_name_belongs_to_one_key() -> None:
    house = House()
    await house.key("bot")
    with pytest.raises(KeyNameTakenError):
        await house.key("Bot")
    assert len(house.ledger.book) == 1


async def test_a_key_needs_a_scope() -> None:
    with pytest.raises(NoScopesError):
        await House().key(scopes=())


@pytest.mark.parametrize("days", [0, -1, 3651])
async def test_a_life_is_some_days_and_not_for_ever(days: int) -> None:
    with pytest.raises(KeyLifeUnfitError):
        await House().key(life=timedelta(days=days))
