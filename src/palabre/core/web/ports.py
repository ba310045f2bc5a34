"""The only ways out."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from palabre.core.web.model import Fetched, SearchHit

MAX_BODY_BYTES = 2 * 1024 * 1024
FETCH_TIMEOUT_S = 10.0


class Gateway(Protocol):
    """Fetches what others name: each address is looked at before it is called.

    Addresses that are not global are refused, however they are written, unless the owner
    configured their origin.
    """

    async def fetch(
        self,
        url: str,
        *,
        method: str = "GET",
        headers: Mapping[str, str] | None = None,
        content: bytes | None = None,
        max_bytes: int = MAX_BODY_BYTES,
        timeout_s: float = FETCH_TIMEOUT_S,
    ) -> Fetched:
        """Fetch *url* and follow its redirects, within *timeout_s* for all of it.

        *max_bytes* is the longest body, counted after decompression.

        Raises:
            FetchError: The address is refused, nothing answers in time, or it answers too much.
        """
        ...


class WebSearch(Protocol):
    """Searches the web."""

    async def search(self, query: str, count: int) -> Sequence[SearchHit]:
        """Return the first *count* results; empty when there are none.

        Raises:
            UpstreamError: The service is out of reach, refuses, or answers nonsense.
        """
        ...
