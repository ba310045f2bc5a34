"""uvicorn's WebSocket protocol, with what ASGI cannot say: write frames made once, cut the line.

Source: RFC 6455. See docs/adr/0002 for why an ASGI application alone cannot evict a client that
stops reading.
"""

from typing import Any, Final

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.exceptions import InvalidState
from websockets.frames import CloseCode, Frame

EXTENSION: Final = "palabre.websocket"
"""Key of the ASGI scope's extensions under which the application finds the protocol."""

MAX_FRAGMENTS = 16_384
"""Continuation frames of one message: their size is limited, but empty ones have none."""

MAX_UNREAD_PONG_BYTES = 1024 * 1024
"""Bytes that may wait for a client that pings and never reads."""


class RoomsWebSocketProtocol(WebSocketsSansIOProtocol):
    """One WebSocket connection, to be given to uvicorn as its `ws` class."""

    async def run_asgi(self) -> None:
        """Let the application find this object."""
        self.scope["extensions"] = {**(self.scope["extensions"] or {}), EXTENSION: {"peer": self}}
        await super().run_asgi()

    @property
    def is_open(self) -> bool:
        """Whether bytes can still be written."""
        return not (self.close_sent or self.disconnected or self.transport.is_closing())

    @property
    def unread_bytes(self) -> int:
        """Bytes that wait for the client in this process."""
        return self.transport.get_write_buffer_size()

    def write_frames(self, frames: bytes) -> None:
        """Write whole frames; the caller has seen that the line `is_open`."""
        self.transport.write(frames)

    def evict(self, reason: str, grace_s: float) -> None:
        """Close with 1013; cut the line if the client has not read that after *grace_s*."""
        if not self.is_open:
            return
        code = CloseCode.TRY_AGAIN_LATER
        self.queue.put_nowait({"type": "websocket.disconnect", "code": code, "reason": reason})
        try:
            self.conn.send_close(code, reason)
        except InvalidState:
            self.transport.abort()
            return
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.close_sent = True
        self.stop_keepalive()
        self._resume_reading()
        self.close_timer = self.loop.call_later(grace_s, self.transport.abort)

    def keepalive_timeout(self) -> None:
        """Cut the line of a peer that answers no ping: it would not read a close either."""
        self.pong_timer = None
        self.pending_ping_payload = None
        self.transport.abort()

    def handle_ping(self) -> None:
        """Answer a ping, unless the client lets the answers pile up."""
        if self.unread_bytes > MAX_UNREAD_PONG_BYTES:
            self.transport.abort()
            return
        super().handle_ping()

    def handle_cont(self, event: Frame) -> None:
        """Collect a fragment, unless there are too many."""
        if len(self.frames) >= MAX_FRAGMENTS:
            self.conn.fail(CloseCode.MESSAGE_TOO_BIG, "too many fragments")
            self.handle_parser_exception()
            return
        super().handle_cont(event)

    def _resume_reading(self) -> None:
        if self.read_paused:
            self.read_paused = False
            self.transport.resume_reading()


def peer_of(scope: Any) -> RoomsWebSocketProtocol | None:
    """Return the connection behind an ASGI *scope*; None on another server."""
    extension = (scope.get("extensions") or {}).get(EXTENSION)
    return extension["peer"] if extension else None
