"""Choose among what was said. Pure."""

from collections.abc import Sequence

from palabre.core.chat.model import Utterance
from palabre.kernel.ids import Nick

SUMMARY_NICK = Nick("Résumé")
"""Who says what stands for older utterances."""

SUMMARY_MARGIN_CHARS = 256
"""Characters that a summary always leaves to the newest utterances (facts of rooms, 3.5)."""


def summary_budget(budget_chars: int) -> int:
    """Return how long a summary may be among *budget_chars*: half of them, less in small ones."""
    return max(0, min(budget_chars // 2, budget_chars - SUMMARY_MARGIN_CHARS))


def newest_that_fit(said: Sequence[Utterance], budget_chars: int) -> list[Utterance]:
    """Return the end of *said* whose texts fit in *budget_chars*."""
    start, left = len(said), budget_chars
    while start and len(said[start - 1].text) <= left:
        start -= 1
        left -= len(said[start].text)
    return list(said[start:])
