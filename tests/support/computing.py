"""How much computing something takes, whatever else the machine does meanwhile."""

import time
from collections.abc import Callable


def computing_s(act: Callable[[], object], tries: int = 3) -> float:
    """Return the seconds that this thread computes for *act*, at best: the first time is slow."""
    return min(_once_s(act) for _ in range(tries))


def _once_s(act: Callable[[], object]) -> float:
    started_s = time.thread_time()
    act()
    return time.thread_time() - started_s
