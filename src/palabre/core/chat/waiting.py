"""Let the one who waits for long work know how it goes (seed 000 §13.2)."""

import asyncio
from asyncio import TimerHandle
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

from palabre.core.chat.model import Event, NoticeGiven
from palabre.kernel.clock import Clock
from palabre.kernel.errors import UpstreamError
from palabre.kernel.text import Text, text

TICK_S = 5.0
"""How often they are told (seed 000 §13.2)."""


class WaitingLine:
    """What the one who waits is told meanwhile, such as `[imagine] Generation en cours... 5s`."""

    def __init__(self, code: str, clock: Clock) -> None:
        """Say the text *code*, with the seconds that *clock* shows."""
        self._code = code
        self._clock = clock
        self._started_s = clock.monotonic()
        self._percent: int | None = None

    def note(self, percent: int) -> None:
        """So much of the work is done."""
        self._percent = percent

    @property
    def elapsed_s(self) -> int:
        """Seconds since the beginning."""
        return round(self._clock.monotonic() - self._started_s)

    def now(self) -> NoticeGiven:
        """Return the line for this moment."""
        line = text(self._code, elapsed_s=self.elapsed_s)
        if self._percent is None:
            return NoticeGiven(line)
        return NoticeGiven(text("generation.percent", line=line, percent=self._percent))


async def attended(
    work: Callable[[], Awaitable[None]],
    line: WaitingLine,
    tell: Callable[[Event], None],
    failure: Callable[[UpstreamError], Text],
    *,
    every_s: float = TICK_S,
) -> None:
    """Do *work*, and let the one who waits for it know how it goes.

    Args:
        work: What takes long.
        line: What is told every so many seconds.
        tell: Tells the one who waits.
        failure: What is told when a service fails.
        every_s: The seconds.
    """
    with ticking(lambda: tell(line.now()), every_s):
        try:
            await work()
        except UpstreamError as error:
            tell(NoticeGiven(failure(error)))


@contextmanager
def ticking(tick: Callable[[], None], every_s: float = TICK_S) -> Iterator[None]:
    """Call *tick* every so many seconds until the block ends, however it ends."""
    loop = asyncio.get_running_loop()
    timers: list[TimerHandle] = []

    def again() -> None:
        timers[:] = [loop.call_later(every_s, again)]
        tick()

    timers.append(loop.call_later(every_s, again))
    try:
        yield
    finally:
        timers[0].cancel()
