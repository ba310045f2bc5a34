"""What became of each thing that was found."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class LeftOut:
    """One thing that was not taken.

    Attributes:
        place: Its file below the data dir, and its line or its place in it.
        reason: The end of a text's code, `kxkm.reason.<reason>`.
    """

    place: str
    reason: str


@dataclass(slots=True)
class Tally:
    """Of one kind of things.

    Attributes:
        read: Those that were found.
        taken: Those that were not here.
        known: Those that were, or instead of which something newer is here.
    """

    read: int = 0
    taken: int = 0
    known: int = 0
    left_out: list[LeftOut] = field(default_factory=list)

    def leave(self, place: str, reason: str) -> None:
        """Count a thing that is not taken."""
        self.read += 1
        self.left_out.append(LeftOut(place, reason))

    def note(self, *, is_new: bool) -> None:
        """Count a thing that is taken, or is here already."""
        self.read += 1
        self.taken += is_new
        self.known += not is_new
