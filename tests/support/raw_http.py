"""An HTTP server by hand: it sends exactly the bytes a test wants, and sees who leaves early."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Reply:
    """One response.

    Attributes:
        chunks: The body, one write each.
        status: Status line after `HTTP/1.1 `.
        hang: Wait after the chunks until the client leaves.
        cut: Close without the end of the body.
    """

    chunks: tuple[bytes, ...] = ()
    status: str = "200 OK"
    hang: bool = False
    cut: bool = False


@dataclass
class RawServer:
    """Answers `METHOD /path` with the replies of that route in turn, the last one again and again."""

    url: str = ""
    routes: dict[str, list[Reply]] = field(default_factory=dict)
    requests: list[tuple[str, bytes]] = field(default_factory=list)
    headers: list[bytes] = field(default_factory=list)
    open_calls: int = 0
    left_early: int = 0
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def on(self, route: str, *replies: Reply) -> None:
        self.routes[route] = list(replies)

    async def until(self, left_early: int) -> None:
        async with asyncio.timeout(30):
            while self.left_early < left_early:
                self.changed.clear()
                await self.changed.wait()

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            route = await self._request(head, reader)
            replies = self.routes.get(route, [Reply((b'{"error":"no route"}',), "404 Not Found")])
            await self._send(replies.pop(0) if len(replies) > 1 else replies[0], reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _request(self, head: bytes, reader: asyncio.StreamReader) -> str:
        first, *lines = head.decode().split("\r\n")
        method, path, _ = first.split(" ")
        sizes = [
            int(line.split(":")[1]) for line in lines if line.lower().startswith("content-len")
        ]
        body = await reader.readexactly(sizes[0]) if sizes else b""
        self.requests.append((f"{method} {path}", body))
        self.headers.append(head)
        return f"{method} {path}"

    async def _send(
        self, reply: Reply, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.open_calls += 1
        try:
            writer.write(
                f"HTTP/1.1 {reply.status}\r\ntransfer-encoding: chunked\r\n"
                "content-type: application/json\r\nconnection: close\r\n\r\n".encode()
            )
            for chunk in reply.chunks:
                writer.write(f"{len(chunk):x}\r\n".encode() + chunk + b"\r\n")
                await writer.drain()
                await asyncio.sleep(0)
            if reply.hang and await reader.read() == b"":
                self.left_early += 1
            elif not reply.cut:
                writer.write(b"0\r\n\r\n")
                await writer.drain()
        finally:
            self.open_calls -= 1
            self.changed.set()


@asynccontextmanager
async def raw_server() -> AsyncIterator[RawServer]:
    raw = RawServer()
    server = await asyncio.start_server(raw.handle, "127.0.0.1", 0)
    raw.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield raw
    finally:
        server.close()


def split_every(data: bytes, size: int) -> tuple[bytes, ...]:
    """Cut *data* into pieces of *size* bytes."""
    return tuple(data[at : at + size] for at in range(0, len(data), size))
