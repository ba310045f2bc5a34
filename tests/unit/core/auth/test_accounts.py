from datetime import timedelta

import pytest

from palabre.core.auth.accounts import AccountService, Changed
from palabre.core.auth.errors import (
    InvalidUsernameError,
    NoAccountError,
    PasswordUnfitError,
    UsernameTakenError,
)
from palabre.core.auth.model import Account, Role, Session
from palabre.testing.auth import MemoryAccountStore, MemorySessionStore, PlainHasher
from palabre.testing.clock import FrozenClock

GOOD, OTHER = "dix lettres", "une autre phrase"
NOW = FrozenClock().now()
LEA = Account("Lea", Role.EDITOR, f"plain:{GOOD}", NOW)


class House:
    """Lea has an account; she has two sessions, Marc has one."""

    def __init__(self) -> None:
        self.sessions = MemorySessionStore()
        for fingerprint, name in [("1", "Lea"), ("2", "lea"), ("3", "Marc")]:
            until = NOW + timedelta(hours=1)
            self.sessions.sessions[fingerprint] = Session(fingerprint, name, LEA.role, NOW, until)
        self.accounts = AccountService(
            accounts=MemoryAccountStore(LEA),
            sessions=self.sessions,
            hasher=PlainHasher(),
            clock=FrozenClock(),
        )

    @property
    def left(self) -> list[str]:
        return sorted(self.sessions.sessions)


async def test_a_new_account_has_its_role_and_guests_of_its_name_have_to_leave() -> None:
    house = House()
    added = await house.accounts.add("MARC", Role.OPERATOR, GOOD)
    assert added == Changed(Account("MARC", Role.OPERATOR, f"plain:{GOOD}", NOW), 1)
    assert await house.accounts.all() == [LEA, added.account]
    assert house.left == ["1", "2"]


async def test_a_name_that_is_taken_is_refused_and_its_sessions_stay() -> None:
    house = House()
    with pytest.raises(UsernameTakenError):
        await house.accounts.add("LEA", Role.ADMIN, GOOD)
    with pytest.raises(UsernameTakenError):
        await house.accounts.check_free("LEA")
    await house.accounts.check_free("Marc")
    assert house.left == ["1", "2", "3"]


@pytest.mark.parametrize("name", ["", "a" * 41, "léa", "a b", "a-b", "lea\n", "٣", "\udce9"])
async def test_only_ascii_letters_digits_and_underscores_make_a_name(name: str) -> None:
    house = House()
    with pytest.raises(InvalidUsernameError) as caught:
        await house.accounts.add(name, Role.VIEWER, GOOD)
    assert caught.value.data == {"limit": 40}
    with pytest.raises(InvalidUsernameError):
        await house.accounts.account(name)
    assert await house.accounts.all() == [LEA]


@pytest.mark.parametrize("name", ["a", "A_9", "_" * 40])
async def test_up_to_forty_of_them_do(name: str) -> None:
    assert (await House().accounts.add(name, Role.VIEWER, GOOD)).account.username == name


@pytest.mark.parametrize(
    "password", ["", "neuf char", "x" * 257, "dix\tlettres", "x" * 10 + "\udce9"]
)
async def test_passwords_of_another_length_or_of_unseen_characters_are_refused(
    password: str,
) -> None:
    house = House()
    for change in (
        house.accounts.add("Marc", Role.VIEWER, password),
        house.accounts.set_password("Lea", password),
    ):
        with pytest.raises(PasswordUnfitError) as caught:
            await change
        assert caught.value.data == {"at_least": 10, "at_most": 256}
    assert await house.accounts.all() == [LEA]
    assert house.left == ["1", "2", "3"]


@pytest.mark.parametrize("password", ["x" * 10, "é" * 256, "   une phrase   "])
async def test_all_others_are_taken_as_they_are(password: str) -> None:
    added = await House().accounts.add("Marc", Role.VIEWER, password)
    assert added.account.password_hash == f"plain:{password}"


async def test_a_new_password_ends_the_sessions_of_its_name_alone() -> None:
    house = House()
    changed = await house.accounts.set_password("LEA", OTHER)
    assert changed.account == Account("Lea", Role.EDITOR, f"plain:{OTHER}", NOW)
    assert changed.ended_sessions == 2
    assert house.left == ["3"]


async def test_so_does_a_new_role() -> None:
    house = House()
    changed = await house.accounts.set_role("lea", Role.VIEWER)
    assert changed == Changed(Account("Lea", Role.VIEWER, f"plain:{GOOD}", NOW), 2)
    assert await house.accounts.account("Lea") == changed.account
    assert house.left == ["3"]


async def test_a_removed_account_is_told_as_it_was_and_its_sessions_end() -> None:
    house = House()
    assert await house.accounts.remove("LEA") == Changed(LEA, 2)
    assert await house.accounts.all() == []
    assert house.left == ["3"]


async def test_a_name_without_account_is_told_and_its_guest_may_stay() -> None:
    house = House()
    for change in (
        house.accounts.set_password("Marc", GOOD),
        house.accounts.set_role("Marc", Role.ADMIN),
        house.accounts.remove("Marc"),
        house.accounts.account("Marc"),
    ):
        with pytest.raises(NoAccountError):
            await change
    assert house.left == ["1", "2", "3"]
