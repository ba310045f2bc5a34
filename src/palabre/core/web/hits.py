"""Results of searches as people and models read them. Pure."""

import re
from collections.abc import Iterable, Sequence

from palabre.core.web.model import SearchHit
from palabre.kernel.visible import one_line

MAX_HITS = 5
"""Results that are shown (seed 000 §10)."""

MAX_TITLE_CHARS = 200
MAX_SNIPPET_CHARS = 400
MAX_URL_CHARS = 2000
MAX_QUERY_CHARS = 500
"""Characters of a query that leave the house."""

MAX_ROWS = 50
"""Rows of an answer that are looked at."""

_WEB = re.compile(r"https?://[^\s<>\"]+\Z", re.IGNORECASE)


def to_hit(title: object, snippet: object, url: object) -> SearchHit | None:
    """Return what strangers sent as a result; None if it leads nowhere on the web.

    All of it is one line of visible characters, and no longer than people read. Where the title
    is missing the address stands for it.
    """
    if not isinstance(url, str) or len(url) > MAX_URL_CHARS or not _WEB.match(url.strip()):
        return None
    address = url.strip()
    return SearchHit(
        title=one_line(title, MAX_TITLE_CHARS) or address,
        snippet=one_line(snippet, MAX_SNIPPET_CHARS),
        url=address,
    )


def first_hits(rows: Iterable[SearchHit | None], count: int) -> list[SearchHit]:
    """Return the first *count* results of *rows*, each address once."""
    found: dict[str, SearchHit] = {}
    for hit in rows:
        if hit is not None and len(found) < count:
            found.setdefault(hit.url, hit)
    return list(found.values())


def as_lines(hits: Sequence[SearchHit]) -> str:
    """Return *hits* as the seed shows them: numbered, with a blank line between them."""
    return "\n\n".join(_shown(number, hit) for number, hit in enumerate(hits, start=1))


def _shown(number: int, hit: SearchHit) -> str:
    below = [line for line in (hit.snippet, hit.url) if line]
    return "\n".join([f"{number}. {hit.title}", *(f"   {line}" for line in below)])
