"""How much was brought in."""

from collections.abc import Callable
from dataclasses import dataclass, field

Progress = Callable[[int, int], None]
"""Is told how much is done, and how much there is to do, in bytes."""


@dataclass(slots=True)
class Brought:
    """Of one kind of things.

    Attributes:
        added: Those that were not in the database.
        known: Those that were, or instead of which the database has something else.
        unreadable: Names of files that make no sense, or cannot be read.
    """

    added: int = 0
    known: int = 0
    unreadable: list[str] = field(default_factory=list)

    def note(self, *, is_new: bool) -> None:
        """Count one thing."""
        self.added += is_new
        self.known += not is_new
