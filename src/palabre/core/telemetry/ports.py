"""Where counts and measures go."""

from typing import Protocol


class Telemetry(Protocol):
    """Counts what happens. Never fails, never waits."""

    def count(self, name: str, *, label: str = "") -> None:
        """Add one to the counter *name*; *label* says of which kind.

        Labels come from code, never from what a user typed.
        """
        ...

    def observe(self, name: str, value: float) -> None:
        """Note one *value* (seconds, bytes: the name says which) of the distribution *name*."""
        ...

    def set(self, name: str, value: float) -> None:
        """Set the gauge *name* to *value*."""
        ...
