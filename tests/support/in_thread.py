"""Servers in threads of their own, for what runs an event loop itself."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, contextmanager


@contextmanager
def in_thread(place: AbstractAsyncContextManager[str]) -> Iterator[str]:
    """Open *place* in a loop of its own and yield its address until the block ends."""
    found: list[str] = []
    ready, stop = threading.Event(), threading.Event()

    async def serve() -> None:
        async with place as url:
            found.append(url)
            ready.set()
            await asyncio.to_thread(stop.wait)

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    try:
        assert ready.wait(10)
        yield found[0]
    finally:
        stop.set()
        thread.join(10)
