"""See what editors change through other processes of the program."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from palabre.core.editorial.library import EditedLibrary

FOLLOW_EVERY_S = 2.0

_log = logging.getLogger(__name__)


async def follow(
    library: EditedLibrary,
    reload: Callable[[], Awaitable[object]],
    *,
    every_s: float = FOLLOW_EVERY_S,
) -> None:
    """Have the personas read again whenever they were changed elsewhere, until cancelled."""
    failed = False
    while True:
        await asyncio.sleep(every_s)
        try:
            if await library.is_outdated():
                await reload()
            failed = False
        except Exception as error:  # noqa: BLE001 - outermost loop of what goes on beside
            if not failed:
                _log.warning("personas could not be read again: %r", error, exc_info=True)
            failed = True
