"""By which names a server lets itself be called: pages elsewhere must not reach it by theirs."""

from collections.abc import Collection, Sequence

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
        if scope["type"] == "lifespan" or self._knows(Headers(scope=scope).getlist("host")):
            await self._asgi(scope, receive, send)
        else:
            await refusal(400, "unknown_host")(scope, receive, send)

    def _knows(self, hosts: Sequence[str]) -> bool:
        """Say whether they are one, and known: of two, others may believe the other one."""
        if len(hosts) > 1:
            return False
        return ANY in self._names or any(_name(host) in self._names for host in hosts)


def _name(host: str) -> str:
    """Return *host* without its port and its brackets."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower()
