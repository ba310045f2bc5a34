"""The rooms' two ends of the line: straight to the socket, or through ASGI where that is all."""

import asyncio
from dataclasses import dataclass

from palabre.core.chat.ports import Encoder, LargePayload
from palabre.surfaces.rooms.frames import json_lines, websocket_frames
from palabre.surfaces.rooms.pacing import MAX_PACED_BYTES, PacedLine, Pacer
from palabre.surfaces.rooms.websocket_protocol import RoomsWebSocketProtocol
from palabre.texts import Language

LARGE_BYTES = 512 * 1024
"""More than words need: a frame of this size is a long sentence that is heard."""

TOO_SLOW = "too slow"


@dataclass(frozen=True, slots=True)
class UnreadLimits:
    """What may wait for a client that reads slowly.

    Attributes:
        max_bytes: Bytes that wait before a write; one larger frame always passes.
        max_events: Events that wait.
        grace_s: Time that a client has to read the closing frame.
    """

    max_bytes: int = 1024 * 1024
    max_events: int = 1024
    grace_s: float = 5.0


class SocketSink:
    """Writes frames straight to a connection of ours."""

    def __init__(
        self,
        peer: RoomsWebSocketProtocol,
        language: Language,
        limit: UnreadLimits,
        pacer: Pacer | None = None,
    ) -> None:
        self.encoder: Encoder = websocket_frames(language)
        self._peer = peer
        self._limit = limit
        self._pacer = pacer or Pacer()
        self._paced = PacedLine(peer)
        self._waiting_bytes = 0
        self._waiting_events = 0.0
        self._large_bytes = 0

    def write(self, payload: bytes, events: int) -> bool:
        """Write *payload* unless too much waits already.

        The last large frame may wait besides what is allowed. Of the events that waited at the
        last write, as many are taken to wait still as of the bytes do: who reads steadily is not
        too slow, however late.
        """
        peer = self._peer
        if not peer.is_open:
            return False
        if self._paced.is_busy:
            return self._write_behind(payload, events)
        unread = peer.unread_bytes
        waiting = self._still_waiting(unread) if unread else 0
        if not unread:
            self._large_bytes = 0
        if unread > self._allowed_bytes or waiting > self._limit.max_events:
            return False
        if events == 1 and len(payload) > LARGE_BYTES:
            self._large_bytes = len(payload)
        self._waiting_bytes = unread + len(payload)
        self._waiting_events = waiting + events
        peer.write_frames(payload)
        return True

    def write_large(self, payload: LargePayload) -> bool:
        """Write *payload* piece by piece unless too much waits already.

        The time that this takes is not held against the client: others are served in turn. What
        it can miss is not written where a good part of what may wait does so already.
        """
        paced = self._paced
        if payload.can_miss:
            if not paced.is_busy and self._peer.unread_bytes <= self._limit.max_bytes // 4:
                self._write_sound(payload)
            return True
        if not self._peer.is_open or self._peer.unread_bytes > self._allowed_bytes:
            return False
        if paced.large_bytes + payload.size_bytes > MAX_PACED_BYTES:
            return False
        self._waiting_events = 0.0
        paced.put_large(payload)
        self._pacer.add(paced)
        return True

    def _write_sound(self, payload: LargePayload) -> None:
        if payload.size_bytes <= LARGE_BYTES or not self._peer.is_open:
            self.write(payload.whole, 1)
            return
        self._large_bytes, self._waiting_events = payload.size_bytes, 0.0
        self._paced.put_large(payload)
        self._pacer.add(self._paced)

    @property
    def _allowed_bytes(self) -> int:
        return self._limit.max_bytes + self._large_bytes

    def _write_behind(self, payload: bytes, events: int) -> bool:
        paced, limit = self._paced, self._limit
        if paced.behind_bytes > limit.max_bytes or paced.behind_events > limit.max_events:
            return False
        paced.put(payload, events)
        return True

    def _still_waiting(self, unread_bytes: int) -> float:
        if unread_bytes >= self._waiting_bytes:
            return self._waiting_events
        return self._waiting_events * unread_bytes / self._waiting_bytes

    def evict(self) -> None:
        """Close with 1013, or cut the line."""
        self._peer.evict(TOO_SLOW, self._limit.grace_s)

    def close(self, code: int, reason: str) -> None:
        """Close with *code*, or cut the line."""
        self._peer.evict(reason, self._limit.grace_s, code)


class QueueSink:
    """Holds frames for a task that sends them through ASGI; for servers other than ours.

    `queue` gives one JSON text a time, None once the client is given up.

    Attributes:
        closing: Code and reason of the end.
    """

    def __init__(self, language: Language, limit: UnreadLimits) -> None:
        self.closing = (1013, "")
        self.encoder: Encoder = json_lines(language)
        self.queue: asyncio.Queue[str | None] = asyncio.Queue()
        self._limit = limit

    def write(self, payload: bytes, events: int) -> bool:
        """Queue the frames of *payload* unless too many wait already."""
        if self.queue.qsize() + events > self._limit.max_events:
            return False
        for line in payload.decode().removesuffix("\n").split("\n"):
            self.queue.put_nowait(line)
        return True

    def write_large(self, payload: LargePayload) -> bool:
        """Queue the frame of *payload* unless too many wait; a few are that if it can be missed."""
        if payload.can_miss and self.queue.qsize() > self._limit.max_events // 4:
            return True
        return self.write(payload.whole, 1)

    def evict(self) -> None:
        """Let the sending task end."""
        self.queue.put_nowait(None)

    def close(self, code: int, reason: str) -> None:
        """Let the sending task end with *code*."""
        self.closing = (code, reason)
        self.evict()
