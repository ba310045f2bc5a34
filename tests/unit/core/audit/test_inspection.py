from dataclasses import replace

import pytest

from palabre.core.audit.inspection import inspect
from palabre.core.audit.model import FIRST_HASH, THE_MACHINE
from palabre.testing.audit import MemoryLedger
from palabre.testing.clock import FrozenClock


@pytest.fixture
async def ledger() -> MemoryLedger:
    written = MemoryLedger(FrozenClock())
    for target in "abcde":
        async with written.recording(THE_MACHINE, "persona.update", target):
            pass
    return written


async def test_a_book_is_read_piece_by_piece_and_found_whole(ledger: MemoryLedger) -> None:
    told: list[int] = []
    found = await inspect(ledger, progress=told.append)
    assert found.is_whole
    assert (found.verdict.entries, told) == (5, [2, 4, 5])


async def test_the_first_broken_number_is_named(ledger: MemoryLedger) -> None:
    ledger.book[3] = replace(ledger.book[3], target="z")
    found = await inspect(ledger)
    assert (found.is_whole, found.verdict.broken_at) == (False, 4)


@pytest.mark.parametrize("number", range(5))
async def test_a_hash_that_was_the_newest_once_is_found_in_a_book_that_grew(
    ledger: MemoryLedger, number: int
) -> None:
    assert (await inspect(ledger, ledger.book[number].hash)).is_whole


async def test_a_tail_that_was_cut_is_missed_by_who_knows_its_hash(ledger: MemoryLedger) -> None:
    newest = ledger.book.pop().hash
    assert (await inspect(ledger)).is_whole
    found = await inspect(ledger, newest)
    assert (found.is_whole, found.has_expected) == (False, False)
    assert found.verdict.broken_at is None


async def test_an_empty_book_is_whole_and_nothing_is_missed_in_it() -> None:
    assert (await inspect(MemoryLedger(FrozenClock()), FIRST_HASH)).is_whole
