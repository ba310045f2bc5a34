import asyncio
from contextlib import aclosing

import pytest

from palabre.core.chat.reading_ahead import read_ahead


class Source:
    def __init__(self, *events: int, error: Exception | None = None) -> None:
        self.events = events
        self.error = error
        self.ended = asyncio.Event()
        self.gate = asyncio.Event()
        self.gate.set()

    async def give(self):
        try:
            for event in self.events:
                await self.gate.wait()
                yield event
            if self.error:
                raise self.error
        finally:
            self.ended.set()


async def test_all_is_given_in_its_order() -> None:
    assert [each async for each in read_ahead(Source(1, 2, 3).give())] == [1, 2, 3]
    assert [each async for each in read_ahead(Source().give())] == []


async def test_what_is_taken_slowly_holds_the_source_up_no_longer_than_it_needs() -> None:
    source = Source(*range(1000))
    async with asyncio.timeout(5), aclosing(read_ahead(source.give())) as events:
        assert await anext(events) == 0
        await source.ended.wait()
        assert [each async for each in events] == list(range(1, 1000))


async def test_what_was_given_comes_before_the_error() -> None:
    seen = []
    with pytest.raises(ValueError, match="broken"):
        async for each in read_ahead(Source(1, 2, error=ValueError("broken")).give()):
            seen += [each]
    assert seen == [1, 2]


async def test_closing_it_closes_the_source() -> None:
    source = Source(1, 2)
    async with aclosing(read_ahead(source.give())) as events:
        await anext(events)
        source.gate.clear()
    assert source.ended.is_set()


async def test_who_is_cancelled_while_waiting_closes_the_source() -> None:
    source = Source(1)
    source.gate.clear()

    async def take() -> None:
        async with aclosing(read_ahead(source.give())) as events:
            await anext(events)

    taking = asyncio.create_task(take())
    await asyncio.sleep(0.01)
    taking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await taking
    assert source.ended.is_set()
