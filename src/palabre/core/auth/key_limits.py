"""How much one key may ask for, and all of them together. Kept in this process alone."""

import math
from collections import Counter, OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from palabre.core.auth.key_errors import (
    HouseFullError,
    TooManyAtOnceError,
    TooManyRequestsError,
)
from palabre.kernel.clock import Clock

WINDOW_S = 60.0

BUSY_RETRY_AFTER_S = 2
"""When to try again where others are being answered."""

MAX_REMEMBERED = 1000
"""Keys whose requests are counted; the one that was quiet longest is forgotten first."""


@dataclass(frozen=True, slots=True)
class KeyLimits:
    """What the owner allows.

    Attributes:
        per_minute: Requests of one key in any minute.
        at_once: Requests of one key that are being answered.
        at_once_over_all: Those of all keys: the rooms keep a place.
    """

    per_minute: int = 60
    at_once: int = 4
    at_once_over_all: int = 32


class KeyTraffic:
    """The requests of each key in the last minute, and those that are being answered."""

    def __init__(self, limits: KeyLimits, clock: Clock) -> None:
        self._limits = limits
        self._clock = clock
        self._asked: OrderedDict[str, list[float]] = OrderedDict()
        self._running: Counter[str] = Counter()

    @contextmanager
    def place(self, key_id: str) -> Iterator[None]:
        """Count a request, and keep its place for the length of the block.

        Raises:
            HouseFullError: Too many of all keys are being answered.
            TooManyAtOnceError: Too many of this one are.
            TooManyRequestsError: It asked too often; what is refused does not count.
        """
        self._check_places(key_id)
        self._count(key_id)
        self._running[key_id] += 1
        try:
            yield
        finally:
            self._running[key_id] -= 1
            self._running += Counter()  # forgets who asks nothing

    def _check_places(self, key_id: str) -> None:
        most, most_of_all = self._limits.at_once, self._limits.at_once_over_all
        if self._running[key_id] >= most:
            raise TooManyAtOnceError(limit=most, retry_after_s=BUSY_RETRY_AFTER_S)
        if self._running.total() >= most_of_all:
            raise HouseFullError(limit=most_of_all, retry_after_s=BUSY_RETRY_AFTER_S)

    def _count(self, key_id: str) -> None:
        now_s = self._clock.monotonic()
        asked = [at for at in self._asked.pop(key_id, []) if at > now_s - WINDOW_S]
        self._asked[key_id] = asked
        if len(self._asked) > MAX_REMEMBERED:
            self._asked.popitem(last=False)
        if len(asked) >= self._limits.per_minute:
            wait_s = math.ceil(asked[0] + WINDOW_S - now_s)
            raise TooManyRequestsError(limit=self._limits.per_minute, retry_after_s=max(1, wait_s))
        asked.append(now_s)
