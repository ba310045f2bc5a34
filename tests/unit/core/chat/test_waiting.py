"""Who waits is told how it goes, until it ends, however it ends."""

import asyncio

import pytest
from tests.support.turns import eventually

from palabre.core.chat.model import Event, NoticeGiven
from palabre.core.chat.waiting import WaitingLine, attended, ticking
from palabre.kernel.errors import UpstreamError
from palabre.kernel.text import Text, text
from palabre.testing.clock import FrozenClock
from palabre.texts import say

TICK_S = 0.01


class Work:
    """Work that ends when the test says, and what was told meanwhile."""

    def __init__(self, error: Exception | None = None) -> None:
        self.clock, self.gate = FrozenClock(), asyncio.Event()
        self.line = WaitingLine("imagine.waiting", self.clock)
        self.told: list[Event] = []
        self._error = error

    async def __call__(self) -> None:
        await self.gate.wait()
        if self._error is not None:
            raise self._error

    async def attended(self) -> None:
        await attended(self, self.line, self.told.append, failure, every_s=TICK_S)

    @property
    def words(self) -> list[str]:
        return [say(each.text, "fr") for each in self.told if isinstance(each, NoticeGiven)]


def failure(error: UpstreamError) -> Text:
    return text("imagine.failed", reason=error.text)


async def is_quiet(told: list[Event]) -> bool:
    before = len(told)
    await asyncio.sleep(TICK_S * 5)
    return len(told) == before


async def test_who_waits_is_told_how_long_and_how_much_is_done() -> None:
    work = Work()
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(work.attended())
        work.clock.advance(5)
        await eventually(lambda: work.told)
        work.line.note(40)
        work.clock.advance(5)
        await eventually(lambda: "[imagine] Generation en cours... 10s (40 %)" in work.words)
        work.gate.set()
    assert work.words[0] == "[imagine] Generation en cours... 5s"
    assert await is_quiet(work.told)


async def test_a_service_that_fails_is_told_last() -> None:
    work = Work(UpstreamError(detail="x"))
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(work.attended())
        await eventually(lambda: work.told)
        work.gate.set()
    assert "Erreur" in work.words[-1]
    assert await is_quiet(work.told)


async def test_nothing_more_is_told_after_a_fault_of_ours() -> None:
    work = Work(ValueError("bug"))
    work.gate.set()
    with pytest.raises(ValueError, match="bug"):
        await work.attended()
    assert await is_quiet(work.told)


async def test_nothing_more_is_told_after_work_was_broken_off() -> None:
    work = Work()
    async with asyncio.TaskGroup() as tasks:
        task = tasks.create_task(work.attended())
        await eventually(lambda: work.told)
        task.cancel()
    assert await is_quiet(work.told)


async def test_a_tick_that_fails_ends_neither_the_work_nor_the_others() -> None:
    ticks = 0

    def tick() -> None:
        nonlocal ticks
        ticks += 1
        raise ZeroDivisionError

    asyncio.get_running_loop().set_exception_handler(lambda *_: None)
    with ticking(tick, TICK_S):
        await eventually(lambda: ticks >= 3)
