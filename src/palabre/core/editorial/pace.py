"""How often somebody may judge answers. Pure."""

from collections import OrderedDict

from palabre.core.editorial.errors import FeedbackTooFastError
from palabre.kernel.sliding_window import SlidingWindow

VOTER_LIMIT = 60
ADDRESS_LIMIT = 600
"""Of all who come from one address: a room full of people may share one."""

WINDOW_S = 60
MAX_REMEMBERED = 10_000
"""Voters and addresses; the one that was quiet longest is forgotten first."""


class Pace:
    """The judgements of each voter and of each address in the last `WINDOW_S` seconds."""

    def __init__(self) -> None:
        self._windows: OrderedDict[str, SlidingWindow] = OrderedDict()

    def admit(self, voter: str, address: str, now_s: float) -> None:
        """Let a judgement at *now_s* (monotonic) pass.

        Raises:
            FeedbackTooFastError: There were too many.
        """
        self._admit(f"address {address}", ADDRESS_LIMIT, now_s)
        self._admit(f"voter {voter}", VOTER_LIMIT, now_s)

    def _admit(self, key: str, limit: int, now_s: float) -> None:
        window = self._windows.pop(key, None) or SlidingWindow(limit, WINDOW_S)
        self._windows[key] = window
        if len(self._windows) > MAX_REMEMBERED:
            self._windows.popitem(last=False)
        if not window.admit(now_s):
            raise FeedbackTooFastError(limit=limit, window_s=WINDOW_S)
