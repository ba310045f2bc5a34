"""What the user sent before, recalled with the arrow keys."""

from collections import deque

MAX_REMEMBERED = 100


class History:
    """The last 100 inputs, and a place in them while the user looks back."""

    def __init__(self) -> None:
        self._inputs: deque[str] = deque(maxlen=MAX_REMEMBERED)
        self._steps_back = 0
        self._unsent = ""

    def add(self, text: str) -> None:
        """Remember *text* and return to the present; a repetition is kept once."""
        self._steps_back = 0
        if text and (not self._inputs or self._inputs[-1] != text):
            self._inputs.append(text)

    def older(self, current: str) -> str | None:
        """Return the input before, or None at the oldest. *current* is kept for the way back."""
        if self._steps_back == len(self._inputs):
            return None
        if self._steps_back == 0:
            self._unsent = current
        self._steps_back += 1
        return self._inputs[-self._steps_back]

    def newer(self) -> str | None:
        """Return the input after, at last what was unsent; None in the present."""
        if self._steps_back == 0:
            return None
        self._steps_back -= 1
        return self._inputs[-self._steps_back] if self._steps_back else self._unsent
