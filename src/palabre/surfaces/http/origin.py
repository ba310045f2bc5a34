"""Which pages may open a socket, or change something. Pure."""

from collections.abc import Collection
from urllib.parse import urlsplit


def is_allowed_origin(origin: str | None, host: str | None, allowed: Collection[str]) -> bool:
    """Say whether a page of *origin* may ask *host*.

    Pages of this very server may, and those that the owner allowed. A client without an origin
    is no page, and may.
    """
    if origin is None or origin in allowed:
        return True
    try:
        site = urlsplit(origin).netloc
    except ValueError:
        return False
    return bool(host) and site.casefold() == (host or "").casefold()
