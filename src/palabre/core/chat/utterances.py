"""Choose among what was said. Pure."""

from collections.abc import Sequence

from palabre.core.chat.model import Utterance


def newest_that_fit(said: Sequence[Utterance], budget_chars: int) -> list[Utterance]:
    """Return the end of *said* whose texts fit in *budget_chars*."""
    start, left = len(said), budget_chars
    while start and len(said[start - 1].text) <= left:
        start -= 1
        left -= len(said[start].text)
    return list(said[start:])
