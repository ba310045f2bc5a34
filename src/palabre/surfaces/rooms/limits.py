"""What one connection may send. Pure."""

from collections import deque


class SlidingWindow:
    """Admits so many frames in any stretch of time (seed 000 §5.3).

    What is refused takes no place: who slows down is heard again.
    """

    def __init__(self, limit: int, window_s: float) -> None:
        self._limit = limit
        self._window_s = window_s
        self._admitted: deque[float] = deque()

    def admit(self, now_s: float) -> bool:
        """Say whether a frame that comes at *now_s* (monotonic) is admitted."""
        while self._admitted and self._admitted[0] < now_s - self._window_s:
            self._admitted.popleft()
        if len(self._admitted) >= self._limit:
            return False
        self._admitted.append(now_s)
        return True
