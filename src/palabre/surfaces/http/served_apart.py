"""Applications beside the rooms' own, which have errors and limits of their own."""

from collections.abc import Mapping

from starlette.types import ASGIApp, Receive, Scope, Send


class ServedApart:
    """Hands what is asked below a prefix to the application of that prefix, the rest to *asgi*."""

    def __init__(self, asgi: ASGIApp, apart: Mapping[str, ASGIApp]) -> None:
        self._asgi = asgi
        self._apart = apart

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        chosen = self._asgi
        if scope["type"] == "http":
            first = "/" + scope["path"].lstrip("/").partition("/")[0]
            chosen = self._apart.get(first, self._asgi)
        await chosen(scope, receive, send)
