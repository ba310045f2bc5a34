"""Write large payloads to many connections, a little at a time and in turn.

Fifty listeners of one piece of music take 3 GB: written at once they would keep everybody else
waiting for seconds, and pings that stand behind them would come too late.
"""

import asyncio
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Protocol

from palabre.core.chat.ports import LargePayload

TURN_BYTES = 1024 * 1024
"""Written in one turn of the event loop, over all connections."""

UNREAD_BYTES = 64 * 1024
"""A connection in which more waits gets nothing yet."""

PAUSE_S = 0.01
"""How soon connections that are all full are looked at again."""

MAX_PACED_BYTES = 160 * 1024 * 1024
"""Of large payloads that wait for one client: two of the largest pieces of music in base64."""


class Peer(Protocol):
    """A connection."""

    @property
    def is_open(self) -> bool:
        """Whether bytes can still be written."""
        ...

    @property
    def unread_bytes(self) -> int:
        """Bytes that wait for the client."""
        ...

    def write_buffers(self, buffers: Sequence[bytes]) -> None:
        """Write *buffers*, one after the other."""
        ...


class PacedLine:
    """What waits for one connection, from a large payload on.

    Attributes:
        large_bytes: Of large payloads.
        behind_bytes: Of what was said after them.
        behind_events: What was said after them.
    """

    def __init__(self, peer: Peer) -> None:
        self._peer = peer
        self._waiting: deque[Iterator[Sequence[bytes]]] = deque()
        self.large_bytes = 0
        self.behind_bytes = 0
        self.behind_events = 0

    @property
    def is_busy(self) -> bool:
        """Whether anything waits."""
        return bool(self._waiting)

    @property
    def is_open(self) -> bool:
        """Whether anybody still wants it."""
        return self._peer.is_open

    @property
    def is_full(self) -> bool:
        """Whether the client has to read first."""
        return self._peer.unread_bytes > UNREAD_BYTES

    def put_large(self, payload: LargePayload) -> None:
        """Let *payload* wait."""
        self._waiting.append(iter(payload.pieces))
        self.large_bytes += payload.size_bytes

    def put(self, payload: bytes, events: int) -> None:
        """Let *payload*, which says so many *events*, wait behind what waits already."""
        self._waiting.append(iter([(payload,)]))
        self.behind_bytes += len(payload)
        self.behind_events += events

    def write_piece(self) -> int:
        """Write what is next; return how many bytes that was, 0 when nothing waits any more."""
        while self._waiting:
            piece = next(self._waiting[0], None)
            if piece is not None:
                self._peer.write_buffers(piece)
                return sum(map(len, piece))
            self._waiting.popleft()
        self.drop()
        return 0

    def drop(self) -> None:
        """Forget what waits."""
        self._waiting.clear()
        self.large_bytes = self.behind_bytes = self.behind_events = 0


class Pacer:
    """Gives each of its lines a piece in turn, as long as its client reads."""

    def __init__(self) -> None:
        self._lines: dict[PacedLine, None] = {}
        self._is_running = False

    def add(self, line: PacedLine) -> None:
        """Begin with *line*, in which something waits."""
        self._lines[line] = None
        if not self._is_running:
            self._is_running = True
            asyncio.get_running_loop().call_soon(self._turn)

    def _turn(self) -> None:
        written = 0
        for line in list(self._lines):
            if written >= TURN_BYTES:
                break
            written += self._served(line)
        loop = asyncio.get_running_loop()
        if written:
            loop.call_soon(self._turn)
        elif self._lines:
            loop.call_later(PAUSE_S, self._turn)
        else:
            self._is_running = False

    def _served(self, line: PacedLine) -> int:
        """Write a piece of *line* and put it last in line, or drop it; return how many bytes."""
        if line.is_open and line.is_full:
            return 0
        del self._lines[line]
        if not line.is_open:
            line.drop()
        size_bytes = line.write_piece()
        if size_bytes:
            self._lines[line] = None
        return size_bytes
