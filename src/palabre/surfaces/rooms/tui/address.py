"""From what a user types after `palabre chat` to the addresses of a server."""

from urllib.parse import urlencode, urlsplit, urlunsplit

from palabre.kernel.hosts import is_host, is_loopback

DEFAULT_URL = "http://127.0.0.1:3333"
_SOCKET_SCHEMES = {"http": "ws", "https": "wss", "ws": "ws", "wss": "wss"}
_PAGE_SCHEMES = {"http": "http", "https": "https", "ws": "http", "wss": "https"}


class AddressError(ValueError):
    """This is no address of a chat server."""


def socket_url(url: str, nick: str | None, language: str) -> str:
    """Return the WebSocket address `ws(s)://…/ws` for *url*, with *nick* when there is one.

    The server says its own lines in *language*.

    Raises:
        AddressError: *url* has no host or an impossible one, or another scheme than http, https,
            ws or wss.
    """
    asked = {"nick": nick} if nick else {}
    return _rebuilt(url, _SOCKET_SCHEMES, "/ws", urlencode(asked | {"lang": language}))


def commands_url(url: str, language: str) -> str:
    """Return where the server lists its slash commands in *language*.

    Raises:
        AddressError: As `socket_url`.
    """
    return _rebuilt(url, _PAGE_SCHEMES, "/api/v2/commands", urlencode({"lang": language}))


def login_url(url: str) -> str:
    """Return where the server lets people log in.

    Raises:
        AddressError: As `socket_url`.
    """
    return _rebuilt(url, _PAGE_SCHEMES, "/api/session/login", "")


def feedback_url(url: str) -> str:
    """Return where the server is told what one thinks of an answer.

    Raises:
        AddressError: As `socket_url`.
    """
    return _rebuilt(url, _PAGE_SCHEMES, "/api/v2/feedback", "")


def is_here(url: str) -> bool:
    """Return whether *url* names this machine; a proxy must not come between."""
    return is_loopback(urlsplit(url).hostname or "")


def _rebuilt(url: str, schemes: dict[str, str], path: str, query: str) -> str:
    full = url if "://" in url else f"http://{url}"
    try:
        parts = urlsplit(full)
        usable = is_host(parts.hostname or "") and parts.scheme in schemes and parts.port != 0
    except ValueError as error:
        raise AddressError(url) from error
    if not usable or not full.isprintable() or " " in full:
        raise AddressError(url)
    base = parts.path.rstrip("/").removesuffix("/ws")
    return urlunsplit((schemes[parts.scheme], parts.netloc, base + path, query, ""))
