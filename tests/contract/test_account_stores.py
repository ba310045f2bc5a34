"""What every `AccountStore` and `SessionStore` does, whatever it keeps them in."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.support.databases import address_of

from palabre.adapters.storage.sql.accounts import SqlAccountStore
from palabre.adapters.storage.sql.address import DatabaseAddress
from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.sessions import SqlSessionStore
from palabre.core.auth.errors import NoAccountError, UsernameTakenError
from palabre.core.auth.model import Account, Role, Session
from palabre.core.auth.ports import AccountStore, SessionStore
from palabre.kernel.errors import StorageError
from palabre.testing.auth import MemoryAccountStore, MemorySessionStore

TEN = datetime(2026, 3, 20, 10, 0, 0, 123_000, tzinfo=UTC)
OTHER = "$argon2id$v=19$other"
LEA = Account("Lea", Role.EDITOR, "$argon2id$v=19$lea", TEN)
MARC = Account("marc_2", Role.VIEWER, "$argon2id$v=19$marc", TEN)


@dataclass(frozen=True)
class Stores:
    accounts: AccountStore
    sessions: SessionStore


@pytest.fixture(params=["memory", "sqlite", "postgres"])
async def stores(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Stores]:
    if request.param == "memory":
        yield Stores(MemoryAccountStore(), MemorySessionStore())
        return
    database = await Database.open(address_of(request.param, request, tmp_path))
    yield Stores(SqlAccountStore(database), SqlSessionStore(database))
    await database.aclose()


def session(number: int, username: str = "Lea", hours: int = 1) -> Session:
    return Session(f"{number:064x}", username, Role.OPERATOR, TEN, TEN + timedelta(hours=hours))


async def test_an_account_is_found_whatever_the_case_and_is_what_was_added(stores: Stores) -> None:
    await stores.accounts.add(LEA)
    assert [await stores.accounts.find(name) for name in ("Lea", "LEA", "lea")] == [LEA] * 3
    assert await stores.accounts.find("le") is None
    assert await stores.accounts.find("Le_") is None


async def test_accounts_are_listed_by_name_not_by_case_or_age(stores: Stores) -> None:
    names = ["zoe", "a_b", "Bob", "ab", "A1", "alice"]
    for name in names:
        await stores.accounts.add(replace(LEA, username=name))
    listed = [each.username for each in await stores.accounts.all()]
    assert listed == ["A1", "a_b", "ab", "alice", "Bob", "zoe"]


async def test_a_name_is_taken_in_every_case_and_its_account_stays(stores: Stores) -> None:
    await stores.accounts.add(LEA)
    with pytest.raises(UsernameTakenError) as caught:
        await stores.accounts.add(replace(MARC, username="lEA"))
    assert caught.value.data == {"username": "lEA"}
    assert await stores.accounts.all() == [LEA]


async def test_of_one_name_added_at_once_in_two_cases_one_is_kept(stores: Stores) -> None:
    names = ["lea", "LEA", "Lea", "lEa"]
    adding = (stores.accounts.add(replace(LEA, username=name)) for name in names)
    outcomes = await asyncio.gather(*adding, return_exceptions=True)
    refused = [each for each in outcomes if isinstance(each, UsernameTakenError)]
    assert len(refused) == 3
    [kept] = await stores.accounts.all()
    assert kept.username == names[outcomes.index(None)]


async def test_a_password_and_a_role_change_alone(stores: Stores) -> None:
    await stores.accounts.add(LEA)
    await stores.accounts.add(MARC)
    await stores.accounts.set_password("LEA", OTHER)
    await stores.accounts.set_role("lea", Role.ADMIN)
    changed = replace(LEA, password_hash=OTHER, role=Role.ADMIN)
    assert await stores.accounts.all() == [changed, MARC]


async def test_a_removed_account_is_gone_and_its_name_free(stores: Stores) -> None:
    await stores.accounts.add(LEA)
    await stores.accounts.add(MARC)
    await stores.accounts.remove("LEA")
    assert await stores.accounts.all() == [MARC]
    again = replace(LEA, username="lea", role=Role.VIEWER)
    await stores.accounts.add(again)
    assert await stores.accounts.find("Lea") == again


@pytest.mark.parametrize(
    "change",
    [
        lambda accounts: accounts.set_password("nobody", "x"),
        lambda accounts: accounts.set_role("nobody", Role.ADMIN),
        lambda accounts: accounts.remove("nobody"),
    ],
)
async def test_a_name_without_account_is_told_and_changes_nothing(
    stores: Stores, change: Callable[[AccountStore], Awaitable[None]]
) -> None:
    await stores.accounts.add(LEA)
    with pytest.raises(NoAccountError) as caught:
        await change(stores.accounts)
    assert caught.value.data == {"username": "nobody"}
    assert await stores.accounts.all() == [LEA]


async def test_a_session_is_found_by_its_fingerprint_alone(stores: Stores) -> None:
    await stores.sessions.add(session(1))
    await stores.sessions.add(session(2, "marc"))
    assert await stores.sessions.find(session(1).fingerprint) == session(1)
    assert await stores.sessions.find(session(3).fingerprint) is None
    assert await stores.sessions.find("") is None


async def test_current_sessions_are_listed_newest_first(stores: Stores) -> None:
    for number, minutes in ((1, 5), (2, 0), (3, 5), (4, 9)):
        at = TEN + timedelta(minutes=minutes)
        each = replace(session(number), created_at=at, expires_at=at + timedelta(hours=1))
        await stores.sessions.add(each)
    listed = await stores.sessions.current(TEN, 9)
    assert [int(each.fingerprint) for each in listed] == [4, 1, 3, 2]
    assert await stores.sessions.find(listed[0].fingerprint) == listed[0]
    assert [int(each.fingerprint) for each in await stores.sessions.current(TEN, 2)] == [4, 1]
    an_hour_later = TEN + timedelta(hours=1, minutes=5)
    assert [int(each.fingerprint) for each in await stores.sessions.current(an_hour_later, 9)] == [
        4
    ]


async def test_of_many_sessions_those_are_told_that_are_still_some(stores: Stores) -> None:
    for number in range(1, 4):
        await stores.sessions.add(session(number, hours=number))
    await stores.sessions.remove(session(3).fingerprint)
    asked = {session(number).fingerprint for number in range(1, 1200)}
    an_hour_later = TEN + timedelta(hours=1)
    assert await stores.sessions.still(asked, TEN) == {
        session(1).fingerprint,
        session(2).fingerprint,
    }
    assert await stores.sessions.still(asked, an_hour_later) == {session(2).fingerprint}
    assert await stores.sessions.still([session(1).fingerprint], TEN) == {session(1).fingerprint}
    assert await stores.sessions.still([], TEN) == frozenset()


async def test_a_removed_session_is_gone_and_removing_it_again_does_no_harm(
    stores: Stores,
) -> None:
    await stores.sessions.add(session(1))
    await stores.sessions.add(session(2))
    for _ in range(2):
        await stores.sessions.remove(session(1).fingerprint)
    assert await stores.sessions.find(session(1).fingerprint) is None
    assert await stores.sessions.find(session(2).fingerprint) == session(2)


async def test_all_sessions_of_a_name_go_in_whatever_case_and_nobody_elses(
    stores: Stores,
) -> None:
    for number, name in enumerate(["Lea", "LEA", "lea_", "marc"], 1):
        await stores.sessions.add(session(number, name))
    assert await stores.sessions.remove_of("lea") == 2
    assert await stores.sessions.remove_of("lea") == 0
    left = [await stores.sessions.find(session(number).fingerprint) for number in range(1, 5)]
    assert [each.username if each else None for each in left] == [None, None, "lea_", "marc"]


async def test_ended_sessions_go_at_the_moment_of_their_end_and_not_before(
    stores: Stores,
) -> None:
    for number in range(1, 4):
        await stores.sessions.add(session(number, hours=number))
    end = session(2).expires_at + timedelta(hours=1)
    assert await stores.sessions.remove_ended(end - timedelta(milliseconds=1)) == 1
    assert await stores.sessions.find(session(2).fingerprint) == session(2, hours=2)
    assert await stores.sessions.remove_ended(end) == 1
    assert await stores.sessions.find(session(2).fingerprint) is None
    assert await stores.sessions.find(session(3).fingerprint) == session(3, hours=3)


async def test_accounts_and_sessions_are_there_when_the_database_is_opened_again(
    address: DatabaseAddress,
) -> None:
    database = await Database.open(address)
    await SqlAccountStore(database).add(LEA)
    await SqlSessionStore(database).add(session(1))
    await database.aclose()
    again = await Database.open(address)
    assert await SqlAccountStore(again).find("lea") == LEA
    assert await SqlSessionStore(again).find(session(1).fingerprint) == session(1)
    await again.aclose()


async def test_of_one_name_added_by_two_processes_at_once_one_is_kept(
    address: DatabaseAddress,
) -> None:
    databases = [await Database.open(address) for _ in range(2)]
    names = ["lea", "LEA"]
    adding = (
        SqlAccountStore(database).add(replace(LEA, username=name))
        for database, name in zip(databases, names, strict=True)
    )
    outcomes = await asyncio.gather(*adding, return_exceptions=True)
    assert sorted(type(each).__name__ for each in outcomes) == ["NoneType", "UsernameTakenError"]
    [kept] = await SqlAccountStore(databases[0]).all()
    assert kept.username == names[outcomes.index(None)]
    for database in databases:
        await database.aclose()


async def test_a_fingerprint_is_never_given_to_another(address: DatabaseAddress) -> None:
    database = await Database.open(address)
    sessions = SqlSessionStore(database)
    await sessions.add(session(1))
    with pytest.raises(StorageError):
        await sessions.add(session(1, "marc"))
    assert await sessions.find(session(1).fingerprint) == session(1)
    await database.aclose()
