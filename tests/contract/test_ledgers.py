"""Every ledger writes changes down for good, and sees when somebody changed the book."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from sqlalchemy import text
from tests.support.databases import KINDS, address_of, with_database

from palabre.adapters.storage.sql.accounts import SqlAccountStore
from palabre.adapters.storage.sql.address import sqlite_address
from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.ledger import SqlLedger
from palabre.core.audit.inspection import inspect
from palabre.core.audit.model import FIRST_HASH, Actor, EntryFilter, Verdict
from palabre.core.audit.ports import Ledger
from palabre.core.auth.model import Account, Role
from palabre.testing.audit import MemoryLedger
from palabre.testing.clock import FrozenClock

ANNE = Actor("anne", "admin", "127.0.0.1")


@pytest.fixture(params=["memory", *KINDS])
async def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[Ledger]:
    clock = FrozenClock()
    if request.param == "memory":
        yield MemoryLedger(clock)
        return
    database = await Database.open(address_of(request.param, request, tmp_path))
    yield SqlLedger(database, clock)
    await database.aclose()


async def written(ledger: Ledger, *targets: str, action: str = "persona.update") -> None:
    for target in targets:
        async with ledger.recording(ANNE, action, target) as change:
            change.before, change.after = {"name": "é"}, {"name": target}


async def test_changes_are_numbered_and_come_newest_first(ledger: Ledger) -> None:
    await written(ledger, "a", "b", "c")
    entries = await ledger.entries(EntryFilter(), 2)
    assert [(each.number, each.target) for each in entries] == [(3, "c"), (2, "b")]
    assert entries[1].actor == ANNE
    assert (entries[1].before, entries[1].after) == ('{"name":"é"}', '{"name":"b"}')
    assert entries[0].previous_hash == entries[1].hash


async def test_the_first_one_follows_on_nothing(ledger: Ledger) -> None:
    await written(ledger, "a")
    assert (await ledger.entries(EntryFilter(), 1))[0].previous_hash == FIRST_HASH


async def test_they_are_filtered_and_turned_over_page_by_page(ledger: Ledger) -> None:
    await written(ledger, "a", "b")
    await written(ledger, "b", action="persona.toggle")
    wishes = {
        EntryFilter(target="b"): [3, 2],
        EntryFilter(action="persona.toggle"): [3],
        EntryFilter(actor="bob"): [],
        EntryFilter(before_number=3): [2, 1],
    }
    for wanted, numbers in wishes.items():
        assert [each.number for each in await ledger.entries(wanted, 9)] == numbers


async def test_a_change_that_fails_is_not_written_down(ledger: Ledger) -> None:
    with pytest.raises(ZeroDivisionError):
        async with ledger.recording(ANNE, "persona.update", "a"):
            _ = 1 // 0
    assert not await ledger.entries(EntryFilter(), 1)


async def test_signs_that_no_database_keeps_are_replaced_before_they_are_hashed(
    ledger: Ledger,
) -> None:
    async with ledger.recording(Actor("a\0", "admin", "\ud83d"), "x", "b\ud83d\0") as change:
        change.after = {"\0": "\0\ud83d"}
    (entry,) = await ledger.entries(EntryFilter(target="b\ufffd\ufffd"), 1)
    assert entry.actor == Actor("a\ufffd", "admin", "\ufffd")
    assert entry.after == '{"\\u0000":"\\u0000\ufffd"}'
    assert (await inspect(ledger)).verdict.broken_at is None
    assert not await ledger.entries(EntryFilter(actor="\0", target="\ud83d"), 1)


async def test_an_untouched_book_is_whole(ledger: Ledger) -> None:
    assert (await inspect(ledger)).verdict == Verdict(0, FIRST_HASH)
    await written(ledger, "a", "b")
    verdict = (await inspect(ledger)).verdict
    assert (verdict.entries, verdict.broken_at) == (2, None)
    assert verdict.last_hash == (await ledger.entries(EntryFilter(), 1))[0].hash


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit SET actor = 'bob' WHERE number = 2",
        "UPDATE audit SET at_ms = at_ms + 1 WHERE number = 2",
        "UPDATE audit SET after = '{}' WHERE number = 2",
        "DELETE FROM audit WHERE number = 2",
        "UPDATE audit SET number = 9 WHERE number = 2",
        "UPDATE audit SET at_ms = 4000000000000000000 WHERE number = 2",
        "UPDATE audit SET at_ms = -4000000000000000000 WHERE number = 2",
    ],
)
async def test_what_was_changed_behind_its_back_is_found(
    database: Database, statement: str
) -> None:
    ledger = SqlLedger(database, FrozenClock())
    await written(ledger, "a", "b", "c")
    async with database.writing() as connection:
        await connection.execute(text(statement))
    assert (await inspect(ledger)).verdict.broken_at == 2


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit SET at_ms = 'x' WHERE number = 2",
        "UPDATE audit SET at_ms = 1.5 WHERE number = 2",
        "UPDATE audit SET before = x'ff' WHERE number = 2",
        "UPDATE audit SET hash = x'00' WHERE number = 2",
    ],
)
async def test_what_is_no_entry_at_all_is_found_where_a_database_keeps_it(
    tmp_path: Path, statement: str
) -> None:
    database = await Database.open(sqlite_address(with_database(tmp_path)))
    ledger = SqlLedger(database, FrozenClock())
    await written(ledger, "a", "b", "c")
    async with database.writing() as connection:
        await connection.execute(text(statement))
    assert (await inspect(ledger)).verdict.broken_at == 2
    assert [each.number for each in await ledger.entries(EntryFilter(), 9)] == [3, 2, 1]
    await database.aclose()


async def test_an_entry_before_the_first_is_found(database: Database) -> None:
    ledger = SqlLedger(database, FrozenClock())
    await written(ledger, "a", "b")
    forged = "SELECT -1, at_ms, 'bob', role, address, action, target, before, after, previous_hash"
    async with database.writing() as connection:
        await connection.execute(
            text(f"INSERT INTO audit {forged}, hash FROM audit WHERE number = 2")
        )
    assert (await inspect(ledger)).verdict.broken_at == 1


async def test_the_change_and_its_entry_are_kept_together_or_not_at_all(
    database: Database,
) -> None:
    ledger, accounts = SqlLedger(database, FrozenClock()), SqlAccountStore(database)
    account = Account("bob", Role.VIEWER, "x", FrozenClock().now())
    with pytest.raises(ZeroDivisionError):
        async with ledger.recording(ANNE, "account.add", "bob"):
            await accounts.add(account)
            assert await accounts.find("bob") == account
            _ = 1 // 0
    assert await accounts.find("bob") is None


async def test_many_at_once_leave_no_gap(database: Database) -> None:
    ledger = SqlLedger(database, FrozenClock())
    await asyncio.gather(*(written(ledger, f"t{number}") for number in range(8)))
    assert (await inspect(ledger)).verdict == Verdict(
        8, (await ledger.entries(EntryFilter(), 1))[0].hash, None
    )


async def test_the_whole_book_is_read_in_pages_oldest_first(ledger: Ledger) -> None:
    assert [page async for page in ledger.pages()] == []
    await written(ledger, *(f"t{number}" for number in range(5)))
    numbers = [entry.number for page in [p async for p in ledger.pages()] for entry in page]
    assert numbers == [1, 2, 3, 4, 5]
