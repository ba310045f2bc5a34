"""How much one client may send in a stretch of time. Pure."""

from collections import deque


class SlidingWindow:
    """Admits so much in any stretch of time, in whatever it is counted: frames, bytes.

    What is refused takes no place: who slows down is heard again.
    """

    def __init__(self, limit: int, window_s: float) -> None:
        self._limit = limit
        self._window_s = window_s
        self._admitted: deque[tuple[float, int]] = deque()
        self._total = 0

    def admit(self, now_s: float, amount: int = 1) -> bool:
        """Say whether *amount* that comes at *now_s* (monotonic) is admitted; count it if so."""
        while self._admitted and self._admitted[0][0] < now_s - self._window_s:
            self._total -= self._admitted.popleft()[1]
        if self._total + amount > self._limit:
            return False
        self._admitted.append((now_s, amount))
        self._total += amount
        return True
