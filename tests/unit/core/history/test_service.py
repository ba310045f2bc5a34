from collections.abc import Sequence
from datetime import date, timedelta

import pytest

from palabre.core.audit.model import Actor
from palabre.core.history.errors import LogNotFoundError, SearchTooLongError
from palabre.core.history.model import NewLine, Span, Swept, Wanted
from palabre.core.history.service import MAX_SEARCH_CHARS, SHOWN_DAYS, WAIT_S, History
from palabre.kernel.errors import StorageError
from palabre.testing.audit import MemoryLedger
from palabre.testing.clock import FrozenClock
from palabre.testing.history import MemoryHistoryStore

ANNE = Actor("anne", "admin")
CLOCK = FrozenClock()
TODAY = CLOCK.now().date()


class Logs:
    """A source of lines that tells what it was asked."""

    def __init__(self, days: int = 0, *, is_late: bool = False, fails: bool = False) -> None:
        self.asked: list[object] = []
        self._days, self._is_late, self._fails = days, is_late, fails

    async def catch_up(self, within_s: float | None) -> bool:
        self.asked.append(within_s)
        return not self._is_late

    async def days_before(self, first_kept: date) -> int:
        return self._days

    async def delete_before(self, first_kept: date) -> None:
        if self._fails:
            raise StorageError(detail="read-only")
        self.asked.append(first_kept)


def said(words: str, age_days: int = 0) -> NewLine:
    return NewLine(CLOCK.now() - timedelta(days=age_days), "#general", "lea", "message", words, 1)


def history(
    lines: Sequence[NewLine] = (), logs: Logs | None = None
) -> tuple[History, MemoryHistoryStore, MemoryLedger]:
    store, ledger = MemoryHistoryStore(*lines), MemoryLedger(CLOCK)
    return History(store, ledger, CLOCK, logs), store, ledger


async def test_new_lines_are_brought_in_before_each_question() -> None:
    logs = Logs()
    asked, _, _ = history([said("un mot")], logs)
    await asked.days()
    await asked.day(TODAY, 1, 0)
    await asked.search(Wanted("mot", 1))
    await asked.counts()
    assert logs.asked == [WAIT_S] * 4
    await asked.exported(Span("#general"))
    assert logs.asked[-1] is None


async def test_a_search_tells_whether_all_was_searched() -> None:
    for is_late in (False, True):
        asked, _, _ = history([said("un mot")], Logs(is_late=is_late))
        found = await asked.search(Wanted("mot", 5))
        assert (len(found.lines), found.is_complete) == (1, not is_late)


@pytest.mark.parametrize("words", ["", " ", "a", " a ", "e\u0301", "\n\n"])
async def test_less_than_two_signs_are_not_searched(words: str) -> None:
    logs = Logs()
    found = await history([said("aa ee")], logs)[0].search(Wanted(words, 5))
    assert (found.lines, found.was_searched, logs.asked) == ((), False, [])


async def test_too_much_is_not_searched_at_once() -> None:
    asked, _, _ = history([said("é" * MAX_SEARCH_CHARS)])
    assert (await asked.search(Wanted("é" * MAX_SEARCH_CHARS, 5))).lines
    with pytest.raises(SearchTooLongError):
        await asked.search(Wanted("é" * (MAX_SEARCH_CHARS + 1), 5))


async def test_a_day_without_lines_is_not_found() -> None:
    with pytest.raises(LogNotFoundError):
        await history()[0].day(TODAY, 1, 0)


async def test_the_newest_thirty_days_are_shown() -> None:
    asked, _, _ = history([said("x", age) for age in range(40, -1, -1)])
    assert len(await asked.days()) == len({c.date for c in await asked.counts()}) == SHOWN_DAYS


async def test_a_sweep_deletes_what_is_older_and_writes_it_down() -> None:
    logs = Logs(days=2)
    asked, store, ledger = history([said("a", 9), said("b", 8), said("c", 7)], logs)
    assert await asked.sweepable(7) == Swept(2, 2)
    assert await asked.sweep(ANNE, 7) == Swept(2, 2)
    assert [each.date for each in await store.days(9)] == [TODAY - timedelta(days=7)]
    assert logs.asked[-1] == TODAY - timedelta(days=7)
    assert [entry.action for entry in ledger.book] == ["retention.sweep"]


async def test_logs_that_nobody_has_read_yet_are_told_as_well() -> None:
    assert (await history(logs=Logs(days=5))[0].sweep(ANNE, 30)).days == 5


async def test_today_is_never_swept() -> None:
    asked, store, _ = history([said("a", 1), said("b", 0)])
    await asked.sweep(ANNE, 0)
    assert [each.date for each in await store.days(9)] == [TODAY, TODAY - timedelta(days=1)]


async def test_a_sweep_that_fails_is_in_the_book_and_leaves_the_lines() -> None:
    asked, store, ledger = history([said("a", 90)], Logs(days=1, fails=True))
    with pytest.raises(StorageError):
        await asked.sweep(ANNE, 30)
    assert len(ledger.book) == 1
    assert len(await store.days(9)) == 1
