import pytest

from palabre.core.auth.model import Account, Role
from palabre.core.chat.reserved_nicks import FRESH_S, ReservedNicks
from palabre.testing.auth import MemoryAccountStore
from palabre.testing.clock import FrozenClock

NOW = FrozenClock().now()


def account(name: str) -> Account:
    return Account(name, Role.VIEWER, "", NOW)


@pytest.mark.parametrize("nick", ["Isa", "isa", "lsa", "1sa"])
async def test_a_username_is_reserved_whatever_its_case_and_shape(nick: str) -> None:
    reserved = ReservedNicks(MemoryAccountStore(account("Isa"), account("bob")), FrozenClock())
    assert await reserved.is_reserved(nick, "")
    assert await reserved.is_reserved(nick, "bob")
    assert not await reserved.is_reserved(nick, "ISA")
    assert not await reserved.is_reserved("isabelle", "")


async def test_who_has_a_name_to_the_letter_keeps_it_from_who_is_called_nearly_so() -> None:
    reserved = ReservedNicks(MemoryAccountStore(account("marl"), account("mar1")), FrozenClock())
    for own, other in (("marl", "mar1"), ("mar1", "marl")):
        assert not await reserved.is_reserved(own, own)
        assert await reserved.is_reserved(own, other)


async def test_new_accounts_are_seen_after_a_moment() -> None:
    clock, accounts = FrozenClock(), MemoryAccountStore()
    reserved = ReservedNicks(accounts, clock)
    assert not await reserved.is_reserved("lea", "")
    await accounts.add(account("Lea"))
    clock.advance(FRESH_S)
    assert await reserved.is_reserved("lea", "")


async def test_without_accounts_every_nick_is_free() -> None:
    assert not await ReservedNicks(None, FrozenClock()).is_reserved("lea", "")
