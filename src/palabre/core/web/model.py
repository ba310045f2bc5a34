"""What comes back from the web."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fetched:
    """The answer to one request.

    Attributes:
        url: Where it came from, after redirects.
        status: HTTP status; those of 400 and above come back like others.
        media_type: Such as `text/html`, without parameters; empty if not told.
        charset: Such as `utf-8`; empty if not told.
        body: After decompression.
    """

    url: str
    status: int
    media_type: str
    charset: str
    body: bytes


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One result of a search."""

    title: str
    snippet: str
    url: str
