"""What somebody may have meant."""

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(word: str, known: Iterable[str], *, likeness: float = 0.6) -> str | None:
    """Return which of *known* is most like *word*; None if none is at least *likeness* (0 to 1)."""
    close = get_close_matches(word, list(known), n=1, cutoff=likeness)
    return close[0] if close else None
