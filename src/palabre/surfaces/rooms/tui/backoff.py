"""When to try again after a lost connection, as seed 000 §5.4 states it."""

from dataclasses import dataclass

INITIAL_DELAY_S = 1
MAX_DELAY_S = 30
MAX_ATTEMPTS = 20


@dataclass(frozen=True, slots=True)
class Backoff:
    """Attempts made since the last success, and the delay before the next one."""

    attempts: int = 0
    delay_s: int = INITIAL_DELAY_S

    @property
    def exhausted(self) -> bool:
        """Whether every attempt is used up."""
        return self.attempts >= MAX_ATTEMPTS

    def failed(self) -> "Backoff":
        """Return what follows after one more attempt."""
        return Backoff(self.attempts + 1, min(self.delay_s * 2, MAX_DELAY_S))
