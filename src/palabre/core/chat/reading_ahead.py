"""Take what somebody gives as it comes, however slowly it is passed on."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TypeVar

T = TypeVar("T")


async def read_ahead(source: AsyncGenerator[T]) -> AsyncGenerator[T]:
    """Yield what *source* gives, in its order, and raise what it raises, after that.

    *source* is read to its end in a task of its own, whether or not anybody takes what it gave:
    what it holds meanwhile, such as a place at a model, is free as soon as it is done. All that
    was not taken yet is kept, so *source* must be bounded. Closing this closes *source*.
    """
    given, news = deque[T](), asyncio.Event()

    async def read() -> None:
        async with aclosing(source) as events:
            async for event in events:
                given.append(event)
                news.set()

    reading = asyncio.create_task(read())  # noqa: TID251 - a group would cancel who takes slowly
    reading.add_done_callback(lambda _: news.set())
    try:
        while given or not reading.done():
            if given:
                yield given.popleft()
            else:
                news.clear()
                await news.wait()
        await reading
    finally:
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)
