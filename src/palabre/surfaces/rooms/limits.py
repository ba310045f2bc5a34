"""What one connection may send. Pure."""

from bisect import bisect_left


class SlidingWindow:
    """Admits so many frames in any stretch of time (seed 000 §5.3).

    What is refused takes no place: who slows down is heard again.
    """

    def __init__(self, limit: int, window_s: float) -> None:
        self._limit = limit
        self._window_s = window_s
        self._admitted: list[float] = []

    def admit(self, now_s: float) -> bool:
        """Say whether a frame that comes at *now_s* (monotonic) is admitted."""
        del self._admitted[: bisect_left(self._admitted, now_s - self._window_s)]
        if len(self._admitted) >= self._limit:
            return False
        self._admitted.append(now_s)
        return True
