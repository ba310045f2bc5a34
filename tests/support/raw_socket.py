"""A WebSocket client by hand, which does what no library lets one do."""

import asyncio
import json
import socket
import struct
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

TEXT, BINARY, CLOSE, PING, PONG, CONT = 0x1, 0x2, 0x8, 0x9, 0xA, 0x0
DEADLINE_S = 30.0
_KEY = "AAAAAAAAAAAAAAAAAAAAAA=="


def frame(
    opcode: int,
    payload: bytes = b"",
    *,
    fin: bool = True,
    masked: bool = True,
    claim_bytes: int | None = None,
) -> bytes:
    """Return one frame's bytes; *claim_bytes* is what its header says of its length."""
    size = len(payload) if claim_bytes is None else claim_bytes
    mask_bit = 0x80 if masked else 0
    head = bytes([(0x80 if fin else 0) | opcode])
    if size < 126:
        head += bytes([mask_bit | size])
    elif size < 2**16:
        head += struct.pack("!BH", mask_bit | 126, size)
    else:
        head += struct.pack("!BQ", mask_bit | 127, size)
    return head + (b"\0\0\0\0" if masked else b"") + payload  # a mask of zeros changes nothing


@dataclass
class RawSocket:
    """One connection. Nothing is read unless the test does."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    @property
    def address(self) -> tuple[str, int]:
        host, port = self.writer.get_extra_info("sockname")
        return host, port

    async def send(self, *raws: bytes) -> None:
        self.writer.write(b"".join(raws))
        async with asyncio.timeout(DEADLINE_S):
            await self.writer.drain()

    async def text(self, words: str | bytes) -> None:
        await self.send(frame(TEXT, words.encode() if isinstance(words, str) else words))

    async def read_frame(self) -> tuple[int, bytes]:
        head = await self.reader.readexactly(2)
        size = head[1] & 0x7F
        if size == 126:
            (size,) = struct.unpack("!H", await self.reader.readexactly(2))
        elif size == 127:
            (size,) = struct.unpack("!Q", await self.reader.readexactly(8))
        return head[0] & 0x0F, await self.reader.readexactly(size)

    async def until_text(self, part: str) -> dict[str, Any]:
        async with asyncio.timeout(DEADLINE_S):
            while True:
                opcode, payload = await self.read_frame()
                if opcode == TEXT and part in (said := json.loads(payload)).get("text", ""):
                    return said

    async def close_code(self) -> int | None:
        """Read to the end; return the code of the closing frame, None if the line was cut."""
        async with asyncio.timeout(DEADLINE_S):
            try:
                while True:
                    opcode, payload = await self.read_frame()
                    if opcode == CLOSE:
                        return int.from_bytes(payload[:2], "big")
            except (asyncio.IncompleteReadError, ConnectionError):
                return None

    async def is_served(self, words: str = "/who") -> bool:
        """Say whether the server still answers this very connection."""
        await self.send(frame(PING, b"still here?"))
        await self.text(json.dumps({"type": "command", "text": words}))
        async with asyncio.timeout(DEADLINE_S):
            seen: set[str] = set()
            while seen != {"pong", "answer"}:
                opcode, payload = await self.read_frame()
                if opcode == CLOSE:
                    return False
                if opcode == PONG and payload == b"still here?":
                    seen.add("pong")
                elif opcode == TEXT and "seq" not in json.loads(payload):
                    seen.add("answer")
            return True

    def hang_up(self) -> None:
        """Cut the line: the server gets a reset."""
        raw = self.writer.get_extra_info("socket")
        with suppress(OSError):  # cut already
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.close()


async def connect_raw(
    address: tuple[str, int],
    path: str = "/ws",
    *,
    headers: dict[str, str] | None = None,
    receive_buffer_bytes: int | None = None,
) -> RawSocket:
    """Open a WebSocket. With a small receive buffer the server notices soon who does not read."""
    client = socket.socket()
    client.setblocking(False)
    if receive_buffer_bytes:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer_bytes)
    await asyncio.get_running_loop().sock_connect(client, address)
    limit = receive_buffer_bytes or 2**16
    reader, writer = await asyncio.open_connection(sock=client, limit=limit)
    raw = RawSocket(reader, writer)
    writer.write(handshake(address, path, headers or {}))
    async with asyncio.timeout(DEADLINE_S):
        head = await reader.readuntil(b"\r\n\r\n")
    if b" 101 " not in head.split(b"\r\n")[0]:
        raise ConnectionRefusedError(head.decode("latin-1"))
    return raw


def handshake(address: tuple[str, int], path: str, headers: dict[str, str]) -> bytes:
    lines = {
        "Host": f"{address[0]}:{address[1]}",
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": _KEY,
        "Sec-WebSocket-Version": "13",
        **headers,
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"GET {path} HTTP/1.1\r\n{head}\r\n".encode("latin-1")


async def ask(address: tuple[str, int], request: bytes) -> bytes:
    """Send *request* and return all that comes until the server closes or is quiet."""
    reader, writer = await asyncio.open_connection(*address)
    writer.write(request)
    answer = b""
    try:
        while piece := await asyncio.wait_for(reader.read(2**16), 1 if answer else DEADLINE_S):
            answer += piece
    except (TimeoutError, ConnectionError):
        pass
    writer.close()
    return answer
