"""What a measurement says."""

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["pass", "over", "-", "not measured"]


@dataclass(frozen=True, slots=True)
class Row:
    """One figure.

    Attributes:
        what: What was measured.
        measured: None when it could not be; then *note* says why.
        unit: Of `measured`, `budget` and `peer`.
        budget: The most that it may be; None for a figure without one.
        peer: The same figure of the Node hub, in the same run; None if it was not measured.
        share: The most that it may be of the peer's: where the machine is slower than the one
            that `budget` was made for, this decides. None where only `budget` does.
        note: What else should be known.
    """

    what: str
    measured: float | None
    unit: str
    budget: float | None = None
    peer: float | None = None
    share: float | None = None
    note: str = ""

    @property
    def verdict(self) -> Verdict:
        """How the figure stands to its budget."""
        if self.measured is None:
            return "not measured"
        if self.budget is None:
            return "-"
        return "pass" if self.measured <= self.budget or self._is_small_share else "over"

    @property
    def _is_small_share(self) -> bool:
        ratio = self.ratio
        return ratio is not None and self.share is not None and ratio <= self.share

    @property
    def ratio(self) -> float | None:
        """The figure divided by the peer's; None without a peer."""
        if self.measured is None or not self.peer:
            return None
        return self.measured / self.peer
