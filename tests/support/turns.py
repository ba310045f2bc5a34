"""Wait for what happens, however slow the machine is: never for an amount of time."""

import asyncio
from collections.abc import Callable

DEADLINE_S = 30.0
"""Costs nothing where all is well."""


async def turns(count: int = 100) -> None:
    """Let all happen that needs neither a timer nor a thread: each turn of the loop is one step."""
    for _ in range(count):
        await asyncio.sleep(0)


async def eventually(is_so: Callable[[], object]) -> None:
    """Wait until *is_so*; a `TimeoutError` after DEADLINE_S."""
    async with asyncio.timeout(DEADLINE_S):
        while not is_so():  # noqa: ASYNC110 - whatever changes it knows of no event
            await asyncio.sleep(0.001)
