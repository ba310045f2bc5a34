"""Server-sent events, as clients of the protocol read them."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

import msgspec
from starlette.types import Receive, Scope, Send

HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-cache"),
    (b"x-accel-buffering", b"no"),
]

DONE = b"data: [DONE]\n\n"


def data_line(value: object, event: str = "") -> bytes:
    """Return *value* as one event; without a name unless *event* is one."""
    name = f"event: {event}\n".encode() if event else b""
    return name + b"data: " + msgspec.json.encode(value) + b"\n\n"


class EventStream:
    """A response that sends *lines* as they come.

    The first is waited for before anything is sent: what fails until then has a status of its own.
    What fails later is told by a last line: *failed* returns it.
    """

    def __init__(self, lines: AsyncGenerator[bytes], failed: Callable[[Exception], bytes]) -> None:
        self._lines = lines
        self._failed = failed

    async def __call__(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        async with aclosing(self._lines) as lines:
            first = await anext(lines, b"")
            await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
            await send({"type": "http.response.body", "body": first, "more_body": True})
            async for line in self._to_the_end(lines):
                await send({"type": "http.response.body", "body": line, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _to_the_end(self, lines: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
        try:
            async for line in lines:
                yield line
        except Exception as error:  # noqa: BLE001 - after the status, nobody else can tell it
            yield self._failed(error)
