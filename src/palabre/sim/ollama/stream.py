"""Bytes of an answer: NDJSON lines cut as the script wants, until the end or a hang-up."""

import asyncio
import hashlib
import json
from collections.abc import AsyncGenerator, AsyncIterator, Iterator

from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from palabre.sim.ledger import JsonObject, Outcome
from palabre.sim.ollama.ledger import OllamaCall
from palabre.sim.ollama.performance import AnswerFailedError, HangUpError, Performance
from palabre.sim.ollama.script import Split

_HALF_A_LINE = b'{"model":"'
_LONGEST_PIECE = 7


def line(thing: JsonObject) -> bytes:
    """Write one line of NDJSON."""
    return json.dumps(thing, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


async def streamed(performance: Performance) -> AsyncGenerator[bytes]:
    """Yield the answer line by line.

    Raises:
        HangUpError: Half a line was sent and the connection is to be closed.
    """
    try:
        async for thing in performance.stream():
            yield line(thing)
    except AnswerFailedError as error:
        performance.call.outcome = Outcome.FAILED
        yield line({"error": str(error)})
    except HangUpError:
        yield _HALF_A_LINE
        raise


async def at_once(performance: Performance) -> AsyncGenerator[bytes]:
    """Yield the answer as one object.

    Raises:
        HangUpError: Half of it was sent and the connection is to be closed.
    """
    try:
        yield line(await performance.whole())
    except HangUpError:
        yield _HALF_A_LINE
        raise


async def cut(lines: AsyncIterator[bytes], split: Split, seed: int) -> AsyncGenerator[bytes]:
    """Yield the same bytes in the writes that *split* asks for.

    Raises:
        HangUpError: *lines* did; what came before it is yielded first.
    """
    if split is Split.LINES:
        async for write in _together(lines):
            yield write
        return
    sizes = _sizes(seed)
    async for text in lines:
        if split is Split.NONE:
            yield text
            continue
        start = 0
        while start < len(text):
            size = next(sizes)
            yield text[start : start + size]
            start += size


async def _together(lines: AsyncIterator[bytes]) -> AsyncGenerator[bytes]:
    whole = b""
    try:
        async for text in lines:
            whole += text
    except HangUpError:
        yield whole
        raise
    yield whole


def _sizes(seed: int) -> Iterator[int]:
    """Yield lengths that look like chance and depend on *seed* alone."""
    number = 0
    while True:
        for byte in hashlib.blake2b(f"{seed}:{number}".encode()).digest():
            yield 1 + byte % _LONGEST_PIECE
        number += 1


class StreamResponse(Response):
    """Sends *writes* and tells *call* how it ended; nothing is sent before the first write.

    A connection that the client closes first ends the call at once, whatever it waits for.
    """

    def __init__(
        self,
        call: OllamaCall,
        writes: AsyncGenerator[bytes],
        media_type: str = "application/x-ndjson",
    ) -> None:
        super().__init__(media_type=media_type)
        del self.headers["content-length"]
        self._call = call
        self._writes = writes

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        """Answer as ASGI."""
        async with asyncio.TaskGroup() as group:
            sending = group.create_task(self._send(send))
            leaving = group.create_task(_client_left(receive))
            await asyncio.wait((sending, leaving), return_when=asyncio.FIRST_COMPLETED)
            if not sending.done():
                self._call.outcome = Outcome.CUT_BY_CLIENT
            sending.cancel()
            leaving.cancel()

    async def _send(self, send: Send) -> None:
        try:
            await self._send_writes(send)
        except AnswerFailedError as error:  # one object only: nothing was sent yet
            self._call.outcome = Outcome.FAILED
            failed = JSONResponse({"error": str(error)}, 500)
            await send(
                {"type": "http.response.start", "status": 500, "headers": failed.raw_headers}
            )
            await send({"type": "http.response.body", "body": failed.body})
        except HangUpError:  # a response without its end makes the server close the connection
            self._call.outcome = Outcome.FAILED

    async def _send_writes(self, send: Send) -> None:
        started = False
        async for body in self._writes:
            if not started:
                start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
                await send(start)
                started = True
            await send({"type": "http.response.body", "body": body, "more_body": True})
            await asyncio.sleep(0)  # so that pieces leave in writes of their own
        if self._call.outcome is Outcome.RUNNING:
            self._call.outcome = Outcome.ANSWERED
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _client_left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
