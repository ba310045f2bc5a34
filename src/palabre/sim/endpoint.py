"""How a simulator answers one call: noted, and over as soon as its client has left."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl

import msgspec
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from palabre.sim.ledger import Call, JsonObject, Ledger, Outcome

Handler = Callable[[Request, Call], Awaitable[Response]]
PIECE_BYTES = 1 << 16


class RefusedError(Exception):
    """The answer is this response, and the call counts as failed."""

    def __init__(self, response: Response) -> None:
        super().__init__(response.status_code)
        self.response = response


async def hang() -> Response:
    """Never answer; the call ends when its client leaves."""
    await asyncio.Event().wait()
    raise AssertionError


class CutResponse(Response):
    """Announces the whole body and sends half of it; the server then closes the connection."""

    async def __call__(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        """Answer as ASGI."""
        start = {"status": self.status_code, "headers": self.raw_headers}
        half = bytes(self.body)[: len(self.body) // 2]
        await send({"type": "http.response.start", **start})
        await send({"type": "http.response.body", "body": half, "more_body": True})


def padded(head: bytes, filler: bytes, size_bytes: int, media_type: str) -> Response:
    """Return *head* and then *filler* over and over, *size_bytes* in all, never in memory."""

    async def pieces() -> AsyncIterator[bytes]:
        yield head[:size_bytes]
        left = size_bytes - len(head)
        block = filler * (PIECE_BYTES // len(filler))
        while left > 0:
            yield block[:left]
            left -= len(block)

    return StreamingResponse(pieces(), media_type=media_type)


def trickled(body: bytes, pause_s: float, media_type: str) -> Response:
    """Return *body* byte by byte, with *pause_s* between two."""

    async def pieces() -> AsyncIterator[bytes]:
        for number in range(len(body)):
            yield body[number : number + 1]
            await asyncio.sleep(pause_s)

    return StreamingResponse(pieces(), media_type=media_type)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An ASGI application that notes each call in *ledger* and lets *handler* answer it."""

    ledger: Ledger
    handler: Handler

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer as ASGI."""
        request = Request(scope, receive)
        raw = await request.body()
        body = await asked(request, raw)
        call = self.ledger.add(Call(request.method, request.url.path, body))
        async with asyncio.TaskGroup() as group:
            answering = group.create_task(self._answer(request, call, send))
            leaving = group.create_task(_client_left(receive))
            await asyncio.wait((answering, leaving), return_when=asyncio.FIRST_COMPLETED)
            if not answering.done():
                call.outcome = Outcome.CUT_BY_CLIENT
            answering.cancel()
            leaving.cancel()

    async def _answer(self, request: Request, call: Call, send: Send) -> None:
        try:
            response = await self.handler(request, call)
        except RefusedError as error:
            response = error.response
            call.outcome = Outcome.FAILED
        if isinstance(response, CutResponse):
            call.outcome = Outcome.FAILED
        if call.outcome is Outcome.RUNNING and not isinstance(response, StreamingResponse):
            call.outcome = Outcome.ANSWERED  # noted before its client can have it
        await response(request.scope, _never, send)
        if call.outcome is Outcome.RUNNING:
            call.outcome = Outcome.ANSWERED


def routes(
    ledger: Ledger, table: Sequence[tuple[str, str, Handler]], prefixes: Sequence[str] = ("",)
) -> list[Route]:
    """Return a route for each (methods, path, handler) of *table*, below each of *prefixes*."""
    return [
        Route(prefix + path, Endpoint(ledger, handler), methods=methods.split())
        for prefix in prefixes
        for methods, path, handler in table
    ]


async def asked(request: Request, raw: bytes) -> JsonObject:
    """Return what *request* says: its JSON, its form, or the parameters of its address."""
    kind = request.headers.get("content-type", "")
    if kind.startswith("multipart/form-data"):
        return await _form(request)
    if kind.startswith("application/x-www-form-urlencoded"):
        return dict(parse_qsl(raw.decode(errors="replace"), keep_blank_values=True))
    return _object(raw) if raw else dict(request.query_params)


async def _form(request: Request) -> JsonObject:
    return {
        name: await _described(value) if isinstance(value, UploadFile) else value
        for name, value in (await request.form()).items()
    }


async def _described(file: UploadFile) -> JsonObject:
    content = await file.read()
    await file.seek(0)
    digest = hashlib.sha256(content).hexdigest()
    return {"filename": file.filename, "size_bytes": len(content), "sha256": digest}


def _object(raw: bytes) -> JsonObject:
    try:
        return msgspec.json.decode(raw, type=dict[str, object])
    except (msgspec.DecodeError, UnicodeError):
        return {"unreadable": raw.decode(errors="replace")}


async def _client_left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _never() -> dict[str, object]:
    """Tell a streaming response nothing: that the client left is noticed elsewhere."""
    await asyncio.Event().wait()
    raise AssertionError
