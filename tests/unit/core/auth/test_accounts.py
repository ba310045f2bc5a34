from datetime import timedelta

import pytest

from palabre.core.audit.model import Actor
from palabre.core.auth.accounts import AccountService, Changed
from palabre.core.auth.errors import (
    InvalidUsernameError,
    NoAccountError,
    NoSessionError,
    PasswordUnfitError,
    UsernameOfPersonaError,
    UsernameTakenError,
)
from palabre.core.auth.model import Account, Role, Session
from palabre.testing.audit import MemoryLedger
from palabre.testing.auth import MemoryAccountStore, MemorySessionStore, PlainHasher
from palabre.testing.clock import FrozenClock

GOOD, OTHER = "dix lettres", "une autre phrase"
NOW = FrozenClock().now()
ANA = Actor("ana", "admin", "10.0.0.1")
LEA = Account("Lea", Role.EDITOR, f"plain:{GOOD}", NOW)


class House:
    """Lea has an account; she has two sessions, Marc has one. Batty and Bill are personas."""

    def __init__(self) -> None:
        self.clock, self.reserved = FrozenClock(), ["Batty", "Bill"]
        self.ledger, self.sessions = MemoryLedger(self.clock), MemorySessionStore()
        for fingerprint, name in [("1", "Lea"), ("2", "lea"), ("3", "Marc")]:
            until = NOW + timedelta(hours=1)
            self.sessions.sessions[fingerprint] = Session(fingerprint, name, LEA.role, NOW, until)
        self.accounts = AccountService(
            accounts=MemoryAccountStore(LEA),
            sessions=self.sessions,
            hasher=PlainHasher(),
            ledger=self.ledger,
            clock=self.clock,
            reserved=self.personas,
        )

    async def personas(self) -> list[str]:
        return self.reserved

    @property
    def left(self) -> list[str]:
        return sorted(self.sessions.sessions)


async def test_a_new_account_has_its_role_and_guests_of_its_name_have_to_leave() -> None:
    house = House()
    added = await house.accounts.add("MARC", Role.OPERATOR, GOOD, by=ANA)
    assert added == Changed(Account("MARC", Role.OPERATOR, f"plain:{GOOD}", NOW), 1)
    assert await house.accounts.all() == [LEA, added.account]
    assert house.left == ["1", "2"]


async def test_a_name_that_is_taken_is_refused_and_its_sessions_stay() -> None:
    house = House()
    with pytest.raises(UsernameTakenError):
        await house.accounts.add("LEA", Role.ADMIN, GOOD, by=ANA)
    with pytest.raises(UsernameTakenError):
        await house.accounts.check_free("LEA")
    await house.accounts.check_free("Marc")
    assert house.left == ["1", "2", "3"]


@pytest.mark.parametrize("name", ["1ea", "Iea", "lEa"])
async def test_a_name_that_looks_like_one_that_is_taken_is_refused(name: str) -> None:
    with pytest.raises(UsernameTakenError) as refused:
        await House().accounts.add(name, Role.VIEWER, GOOD, by=ANA)
    assert refused.value.data["username"] == "Lea"


@pytest.mark.parametrize(("name", "persona"), [("BATTY", "Batty"), ("Bi11", "Bill")])
async def test_a_name_of_a_persona_or_one_like_it_is_refused(name: str, persona: str) -> None:
    house = House()
    with pytest.raises(UsernameOfPersonaError) as refused:
        await house.accounts.add(name, Role.VIEWER, GOOD, by=ANA)
    assert refused.value.data == {"persona": persona}
    assert await house.accounts.all() == [LEA]
    assert house.ledger.book == []


async def test_who_was_called_like_a_persona_before_it_came_keeps_the_account() -> None:
    house = House()
    house.reserved.append("Lea")
    changed = await house.accounts.change("lea", role=Role.ADMIN, by=ANA)
    assert changed.account.role is Role.ADMIN


@pytest.mark.parametrize(
    "password", ["\U0001f469\u200d\U0001f467" * 4, "\u0645\u06cc\u200c\u062e" * 3]
)
async def test_what_keyboards_put_between_letters_and_emoji_may_be_in_a_password(
    password: str,
) -> None:
    assert (await House().accounts.add("ana", Role.VIEWER, password, by=ANA)).account.password_hash


@pytest.mark.parametrize("name", ["", "a" * 41, "léa", "a b", "a-b", "lea\n", "٣", "\udce9"])
async def test_only_ascii_letters_digits_and_underscores_make_a_name(name: str) -> None:
    house = House()
    with pytest.raises(InvalidUsernameError) as caught:
        await house.accounts.add(name, Role.VIEWER, GOOD, by=ANA)
    assert caught.value.data == {"limit": 40}
    with pytest.raises(InvalidUsernameError):
        await house.accounts.account(name)
    assert await house.accounts.all() == [LEA]


@pytest.mark.parametrize("name", ["a", "A_9", "_" * 40])
async def test_up_to_forty_of_them_do(name: str) -> None:
    assert (await House().accounts.add(name, Role.VIEWER, GOOD, by=ANA)).account.username == name


@pytest.mark.parametrize(
    "password", ["", "neuf char", "x" * 257, "dix\tlettres", "x" * 10 + "\udce9"]
)
async def test_passwords_of_another_length_or_of_unseen_characters_are_refused(
    password: str,
) -> None:
    house = House()
    for change in (
        house.accounts.add("Marc", Role.VIEWER, password, by=ANA),
        house.accounts.change("Lea", password=password, by=ANA),
    ):
        with pytest.raises(PasswordUnfitError) as caught:
            await change
        assert caught.value.data == {"at_least": 10, "at_most": 256}
    assert await house.accounts.all() == [LEA]
    assert house.left == ["1", "2", "3"]


@pytest.mark.parametrize("password", ["x" * 10, "é" * 256, "   une phrase   "])
async def test_all_others_are_taken_as_they_are(password: str) -> None:
    added = await House().accounts.add("Marc", Role.VIEWER, password, by=ANA)
    assert added.account.password_hash == f"plain:{password}"


async def test_a_new_password_ends_the_sessions_of_its_name_alone() -> None:
    house = House()
    changed = await house.accounts.change("LEA", password=OTHER, by=ANA)
    assert changed.account == Account("Lea", Role.EDITOR, f"plain:{OTHER}", NOW)
    assert changed.ended_sessions == 2
    assert house.left == ["3"]


async def test_so_does_a_new_role() -> None:
    house = House()
    changed = await house.accounts.change("lea", role=Role.VIEWER, by=ANA)
    assert changed == Changed(Account("Lea", Role.VIEWER, f"plain:{GOOD}", NOW), 2)
    assert await house.accounts.account("Lea") == changed.account
    assert house.left == ["3"]


async def test_a_removed_account_is_told_as_it_was_and_its_sessions_end() -> None:
    house = House()
    assert await house.accounts.remove("LEA", by=ANA) == Changed(LEA, 2)
    assert await house.accounts.all() == []
    assert house.left == ["3"]


async def test_a_name_without_account_is_told_and_its_guest_may_stay() -> None:
    house = House()
    for change in (
        house.accounts.change("Marc", password=GOOD, by=ANA),
        house.accounts.change("Marc", role=Role.ADMIN, by=ANA),
        house.accounts.remove("Marc", by=ANA),
        house.accounts.account("Marc"),
    ):
        with pytest.raises(NoAccountError):
            await change
    assert house.left == ["1", "2", "3"]
    assert house.ledger.book == []


async def test_both_can_be_changed_at_once() -> None:
    house = House()
    changed = await house.accounts.change("lea", role=Role.ADMIN, password=OTHER, by=ANA)
    assert changed == Changed(Account("Lea", Role.ADMIN, f"plain:{OTHER}", NOW), 2)
    assert len(house.ledger.book) == 1


async def test_every_change_is_in_the_book_and_no_password_is() -> None:
    house = House()
    await house.accounts.add("Zoe", Role.VIEWER, GOOD, by=ANA)
    await house.accounts.change("zoe", role=Role.EDITOR, by=ANA)
    await house.accounts.change("ZOE", password=OTHER, by=ANA)
    await house.accounts.remove("zoe", by=ANA)
    await house.accounts.end_session("1", by=ANA)
    await house.accounts.end_sessions_of("Lea", by=ANA)
    assert [(each.action, each.target) for each in house.ledger.book] == [
        ("user.add", "Zoe"),
        ("user.update", "Zoe"),
        ("user.update", "Zoe"),
        ("user.remove", "Zoe"),
        ("session.end", "1"),
        ("session.end_all", "Lea"),
    ]
    assert {each.actor for each in house.ledger.book} == {ANA}
    _added, new_role, new_password, *_ = house.ledger.book
    assert '"role":"viewer"' in new_role.before
    assert '"role":"editor"' in new_role.after
    assert '"newPassword":true' in new_password.after
    assert not any(secret in str(house.ledger.book) for secret in (GOOD, OTHER))


async def test_sessions_are_listed_newest_first_until_they_end() -> None:
    house = House()
    later = NOW + timedelta(minutes=30)
    newest = Session("4", "Zoe", Role.VIEWER, later, later + timedelta(hours=1))
    house.sessions.sessions["4"] = newest
    assert [each.fingerprint for each in await house.accounts.sessions(9)] == ["4", "1", "2", "3"]
    assert await house.accounts.sessions(1) == [newest]
    house.clock.advance(3600)
    assert await house.accounts.sessions(9) == [newest]


async def test_one_session_is_ended_by_its_fingerprint() -> None:
    house = House()
    assert (await house.accounts.end_session("1", by=ANA)).username == "Lea"
    assert house.left == ["2", "3"]
    house.clock.advance(3600)
    for fingerprint in ("1", "2", ""):
        with pytest.raises(NoSessionError):
            await house.accounts.end_session(fingerprint, by=ANA)
    assert len(house.ledger.book) == 1


async def test_all_sessions_of_a_name_are_ended_and_its_account_stays() -> None:
    house = House()
    assert await house.accounts.end_sessions_of("LEA", by=ANA) == 2
    assert house.left == ["3"]
    assert await house.accounts.all() == [LEA]
    with pytest.raises(InvalidUsernameError):
        await house.accounts.end_sessions_of("no name", by=ANA)
