"""A search of the web that answers from a script."""

from collections.abc import Sequence

from palabre.core.web.model import SearchHit
from palabre.kernel.errors import UpstreamError


def a_hit(number: int = 1) -> SearchHit:
    """Return a result; different numbers are different pages."""
    return SearchHit(f"Page {number}", f"Extrait {number}", f"https://example.org/{number}")


class ScriptedSearch:
    """`WebSearch` that finds what it was given, or fails as it was told to.

    Attributes:
        hits: What every search finds.
        error: What every search raises; None while it works.
        queries: What was searched for so far.
    """

    def __init__(self, *hits: SearchHit, error: UpstreamError | None = None) -> None:
        self.hits = hits
        self.error = error
        self.queries: list[str] = []

    async def search(self, query: str, count: int) -> Sequence[SearchHit]:
        """Note *query* and return the first *count* results."""
        self.queries.append(query)
        if self.error is not None:
            raise self.error
        return self.hits[:count]
