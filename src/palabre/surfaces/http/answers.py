"""What every HTTP answer has: headers that keep others out, and a time that is noted."""

import time
from collections.abc import Callable

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

SECURITY_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; connect-src 'self' ws: wss:; img-src 'self' data: blob:; "
        "media-src 'self' data: blob:; base-uri 'none'; form-action 'self'; "
        "frame-ancestors 'none'; object-src 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
}

API = "/api/"
"""What is answered below it depends on who asks: nobody keeps it for others."""

_STARTS = frozenset({"http.response.start", "websocket.http.response.start"})
"""The second one is of a handshake that is refused."""

NoteAnswer = Callable[[int, float], None]
"""Takes the status of an answer and how long it took, in seconds."""

FAULT = 500
"""What a client is answered, further out, when the application raises."""


class SecuredAnswers:
    """Adds to each answer of *asgi* those of `SECURITY_HEADERS` that it does not have itself."""

    def __init__(self, asgi: ASGIApp) -> None:
        self._asgi = asgi

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_secured(message: Message) -> None:
            if message["type"] in _STARTS:
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
                if scope["type"] == "websocket" or scope["path"].startswith(API):
                    headers.setdefault("Cache-Control", "no-store")
            await send(message)

        await self._asgi(scope, receive, send_secured)


class TimedAnswers:
    """Tells *note* of each HTTP answer of *asgi*, once it is sent."""

    def __init__(self, asgi: ASGIApp, note: NoteAnswer) -> None:
        self._asgi = asgi
        self._note = note

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._asgi(scope, receive, send)
            return
        status = FAULT

        async def send_noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        started_s = time.perf_counter()
        try:
            await self._asgi(scope, receive, send_noted)
        finally:
            self._note(status, time.perf_counter() - started_s)
