"""At most so many calls at once, and whose turn is next."""

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from palabre.core.models.errors import ModelBusyError


class CallSlots:
    """*limit* calls at once; the others wait, those who ask often behind those who ask rarely.

    Whoever waits (`on_behalf_of`) has a line of their own, first come first served; the lines
    take turns, so that a busy channel cannot starve a quiet one.

    Args:
        limit: Calls at once, at least 1.
        max_waiting: Longest waiting line over all; one more is refused.
    """

    def __init__(self, limit: int, max_waiting: int) -> None:
        self._limit = limit
        self._max_waiting = max_waiting
        self._running = 0
        self._lines: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    @property
    def waiting(self) -> int:
        """Calls that wait for a place."""
        return sum(len(line) for line in self._lines.values())

    @asynccontextmanager
    async def hold(self, on_behalf_of: str = "") -> AsyncIterator[None]:
        """Wait for a place and keep it for the length of the block.

        Raises:
            ModelBusyError: The waiting line is full.
        """
        await self._take(on_behalf_of)
        try:
            yield
        finally:
            self._give_back()

    async def _take(self, who: str) -> None:
        if self._running < self._limit:
            self._running += 1
            return
        if self.waiting >= self._max_waiting:
            raise ModelBusyError(waiting=self.waiting)
        turn = asyncio.get_running_loop().create_future()
        self._lines.setdefault(who, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            self._leave(who, turn)
            raise

    def _leave(self, who: str, turn: asyncio.Future[None]) -> None:
        if turn.done() and not turn.cancelled():
            self._give_back()
            return
        line = self._lines[who]
        line.remove(turn)
        if not line:
            del self._lines[who]

    def _give_back(self) -> None:
        """Hand the place to the next line's first; the place stays taken while one waits."""
        if not self._lines:
            self._running -= 1
            return
        who, line = self._lines.popitem(last=False)
        turn = line.popleft()
        if line:
            self._lines[who] = line
        turn.set_result(None)
