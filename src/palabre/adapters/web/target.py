"""Addresses of the web: read once, by the parser of the client that calls them."""

import re
from collections.abc import Collection

import httpx2

from palabre.adapters.web.guarded import Place
from palabre.core.web.errors import FetchError
from palabre.kernel.hosts import is_host

MAX_URL_CHARS = 4000
PORTS = {"http": 80, "https": 443}
Origin = tuple[str, str, int]
"""Scheme, host and port."""

_ZONE = re.compile(r"%|\.\.")


def origin_of(url: httpx2.URL) -> Origin:
    """Return where *url* leads, with the port that it stands for."""
    return url.scheme, _host(url), url.port or PORTS.get(url.scheme, 0)


def place_of(url: httpx2.URL) -> Place:
    """Return the machine and port of *url*."""
    return origin_of(url)[1:]


def to_target(address: str, trusted: Collection[Origin] = ()) -> httpx2.URL:
    """Return *address* as what can be called.

    Args:
        address: As somebody wrote it.
        trusted: Origins whose port may be any.

    Raises:
        FetchError: It is no address of the web, holds a name and password, or another port than
            the usual ones.
    """
    if len(address) > MAX_URL_CHARS:
        raise FetchError("length", most=MAX_URL_CHARS)
    try:
        url = httpx2.URL(address)
    except (httpx2.InvalidURL, ValueError):
        raise FetchError("url") from None
    _judge(url, trusted)
    return url


def next_target(url: httpx2.URL, location: str, trusted: Collection[Origin]) -> httpx2.URL:
    """Return where a redirect from *url* to *location* leads.

    Raises:
        FetchError: As `to_target`; or it leads from TLS to plain text.
    """
    try:
        following = url.join(location[: MAX_URL_CHARS + 1])
    except (httpx2.InvalidURL, ValueError):
        raise FetchError("url", host=_host(url)) from None
    following = to_target(str(following), trusted)
    if url.scheme == "https" and following.scheme == "http":
        raise FetchError("downgrade", host=_host(url))
    return following


def _judge(url: httpx2.URL, trusted: Collection[Origin]) -> None:
    host = _host(url)
    if url.scheme not in PORTS:
        raise FetchError("scheme", host=host, scheme=url.scheme[:20])
    if _ZONE.search(host) or not is_host(host):
        raise FetchError("host", host=host[:200])
    if url.userinfo:
        raise FetchError("userinfo", host=host)
    if url.port not in {None, PORTS[url.scheme]} and origin_of(url) not in trusted:
        raise FetchError("port", host=host, port=url.port or 0)


def _host(url: httpx2.URL) -> str:
    return url.raw_host.decode("ascii", "replace").lower()
