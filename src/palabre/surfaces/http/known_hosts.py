"""By which names a server lets itself be called: pages elsewhere must not reach it by theirs."""

from collections.abc import Collection

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from palabre.surfaces.http.errors import refusal

ANY = "*"


class KnownHosts:
    """Lets only requests for one of *names* through to *asgi*; `*` stands for every name."""

    def __init__(self, asgi: ASGIApp, names: Collection[str]) -> None:
        self._asgi = asgi
        self._names = frozenset(name.lower().strip("[]") for name in names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan" or self._knows(Headers(scope=scope).get("host", "")):
            await self._asgi(scope, receive, send)
        else:
            await refusal(400, "unknown_host")(scope, receive, send)

    def _knows(self, host: str) -> bool:
        return ANY in self._names or _name(host) in self._names


def _name(host: str) -> str:
    """Return *host* without its port and its brackets."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower()
