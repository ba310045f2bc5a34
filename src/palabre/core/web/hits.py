"""Results of searches as people and models read them. Pure."""

import re
from collections.abc import Iterable, Sequence

from palabre.core.web.model import SearchHit

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
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+")


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


def one_line(words: object, most: int) -> str:
    """Return the first *most* characters of *words* on one line; nothing if they are no text."""
    if not isinstance(words, str):
        return ""
    seen = " ".join(_UNSEEN.sub(" ", words[: 4 * most]).split())
    return seen if len(seen) <= most else f"{seen[: most - 1].rstrip()}…"


def _shown(number: int, hit: SearchHit) -> str:
    below = [line for line in (hit.snippet, hit.url) if line]
    return "\n".join([f"{number}. {hit.title}", *(f"   {line}" for line in below)])
