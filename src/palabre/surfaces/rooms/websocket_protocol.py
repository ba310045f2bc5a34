"""uvicorn's WebSocket protocol, with what ASGI cannot say: write frames made once, cut the line.

Source: RFC 6455. See docs/adr/0002 for why an ASGI application alone cannot evict a client that
stops reading.
"""

from asyncio import BaseTransport, TimerHandle
from collections.abc import Sequence
from typing import Any, Final

from uvicorn._types import ASGIReceiveEvent
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.exceptions import InvalidState
from websockets.frames import CloseCode, Frame
from websockets.http11 import MAX_LINE_LENGTH

EXTENSION: Final = "palabre.websocket"
"""Key of the ASGI scope's extensions under which the application finds the protocol."""

MAX_FRAGMENTS = 16_384
"""Continuation frames of one message: their size is limited, but empty ones have none."""

MAX_UNREAD_PONG_BYTES = 1024 * 1024
"""Bytes that may wait for a client that pings and never reads."""

MAX_TEXT_BYTES = 17 * 1024 * 1024
"""A larger text is handed over as bytes: it will be dropped, and is not worth decoding."""

MAX_HELD_BYTES = 128 * 1024 * 1024
"""Bytes of unfinished messages, over all connections."""

SMALL_BYTES = 1024 * 1024
"""An unfinished message up to this is not given up for the others' sake."""

SLICE_BYTES = 2048
FRAMES_AT_ONCE = 128
"""Frames of one client before the others' turn comes; 256 kB hold 40 000 of them."""

CLOSE_WITHIN_S = 5.0
"""Time for a client to take what is on its way when the line closes."""

STOP_WITHIN_S = 1.0
"""The same when the program ends."""

HANDSHAKE_WITHIN_S = 10.0
"""Time for a handshake to be accepted or refused."""

_BAD_REQUEST = b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


class RoomsWebSocketProtocol(WebSocketsSansIOProtocol):
    """One WebSocket connection, to be given to uvicorn as its `ws` class."""

    _unparsed = b""
    _frames_seen = 0
    _handshake_timer: TimerHandle | None = None

    def connection_made(self, transport: BaseTransport) -> None:
        """Give the handshake its time."""
        super().connection_made(transport)
        self._handshake_timer = self.loop.call_later(HANDSHAKE_WITHIN_S, self._end_handshake)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the handshake's time."""
        if self._handshake_timer is not None:
            self._handshake_timer.cancel()
        super().connection_lost(exc)

    async def run_asgi(self) -> None:
        """Let the application find this object."""
        self.scope["extensions"] = {**(self.scope["extensions"] or {}), EXTENSION: {"peer": self}}
        await super().run_asgi()
        self._cut_within(CLOSE_WITHIN_S)

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

    def write_buffers(self, buffers: Sequence[bytes]) -> None:
        """Write whole frames that are in *buffers*; the caller has seen that the line `is_open`."""
        self.transport.writelines(buffers)

    def evict(self, reason: str, grace_s: float, code: int = CloseCode.TRY_AGAIN_LATER) -> None:
        """Close with *code*; cut the line if the client has not read that after *grace_s*."""
        if not self.is_open:
            return
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
        self._cut_within(grace_s)

    def keepalive_timeout(self) -> None:
        """Cut the line of a peer that answers no ping: it would not read a close either."""
        self.pong_timer = None
        self.pending_ping_payload = None
        self.transport.abort()

    def shutdown(self) -> None:
        """Close with 1012: the program ends, and waits for nobody who does not read that."""
        self._end_handshake()
        if not self.transport.is_closing():
            try:
                super().shutdown()
            except InvalidState:
                self.transport.abort()
        self._cut_within(STOP_WITHIN_S)

    def data_received(self, data: bytes) -> None:
        """Parse a little at a time, so that many tiny frames hold nobody else up."""
        data, self._unparsed = self._unparsed + data, b""
        if not self.handshake_initiated:
            data = without_long_cookies(data)
        until = self._frames_seen + FRAMES_AT_ONCE
        for start in range(0, len(data), SLICE_BYTES):
            if self.transport.is_closing():
                return
            end = start + SLICE_BYTES
            super().data_received(data[start:end])
            if self._frames_seen >= until and end < len(data):
                self._wait_with(data[end:])
                return
        self._refuse_to_hold()

    def handle_events(self) -> None:
        """Count the frames; answer a handshake that the parser refuses."""
        self._frames_seen += len(self.conn.events)
        super().handle_events()
        if self.conn.handshake_exc is not None and not self.handshake_complete:
            self._refuse_handshake()

    async def receive(self) -> ASGIReceiveEvent:
        """Return the next event, and read on when there is no other."""
        message = await self.queue.get()
        if self.queue.empty():
            self._resume_reading()
        return message

    def send_receive_event_to_app(self) -> None:
        """Hand a whole message over."""
        data = self.frames[0] if len(self.frames) == 1 else b"".join(self.frames)
        self.frames = []
        if self.close_sent:
            return
        try:
            self.queue.put_nowait(self._received(data))
        except UnicodeDecodeError:
            self._fail(CloseCode.INVALID_DATA, "not UTF-8")
            return
        if not self.read_paused:
            self.read_paused = True
            self.transport.pause_reading()

    def handle_ping(self) -> None:
        """Answer a ping, unless the client lets the answers pile up."""
        if self.transport.is_closing():
            return
        if self.unread_bytes > MAX_UNREAD_PONG_BYTES:
            self.transport.abort()
            return
        super().handle_ping()

    def handle_text(self, event: Frame) -> None:
        """Begin a message; the parser would hold the frame until the next one comes."""
        super().handle_text(event)
        event.data = b""

    def handle_bytes(self, event: Frame) -> None:
        """Begin a message, as `handle_text`."""
        super().handle_bytes(event)
        event.data = b""

    def handle_cont(self, event: Frame) -> None:
        """Collect a fragment, unless there are too many."""
        if self.close_sent:
            return
        if len(self.frames) >= MAX_FRAGMENTS:
            self._fail(CloseCode.MESSAGE_TOO_BIG, "too many fragments")
            return
        super().handle_cont(event)
        event.data = b""

    def handle_close(self, event: Frame) -> None:
        """Say goodbye, to a client that may not listen."""
        super().handle_close(event)
        self._cut_within(CLOSE_WITHIN_S)

    def handle_parser_exception(self) -> None:
        """Close, saying what was wrong, to a client that may not listen."""
        if not self.close_sent:
            super().handle_parser_exception()
        self._cut_within(CLOSE_WITHIN_S)

    @property
    def held_bytes(self) -> int:
        """Bytes of the message that is still coming."""
        return len(self.conn.reader.buffer) + (self.conn.current_size or 0)

    def _received(self, data: bytes) -> ASGIReceiveEvent:
        if self.curr_msg_data_type == "text" and len(data) <= MAX_TEXT_BYTES:
            return {"type": "websocket.receive", "text": data.decode()}
        return {"type": "websocket.receive", "bytes": data}

    def _refuse_to_hold(self) -> None:
        if self.held_bytes <= SMALL_BYTES or self.close_sent:
            return
        peers = (each for each in self.connections if isinstance(each, RoomsWebSocketProtocol))
        if sum(each.held_bytes for each in peers) > MAX_HELD_BYTES:
            self._fail(CloseCode.TRY_AGAIN_LATER, "too much to hold")

    def _fail(self, code: CloseCode, reason: str) -> None:
        self.conn.fail(code, reason)
        self.handle_parser_exception()

    def _refuse_handshake(self) -> None:
        """Send the parser's answer (414, 431), which uvicorn does not; it has none for nonsense."""
        self.handshake_complete = self.close_sent = True
        self.transport.write(b"".join(self.conn.data_to_send()) or _BAD_REQUEST)
        self.transport.close()
        self._cut_within(CLOSE_WITHIN_S)

    def _end_handshake(self) -> None:
        if not self.handshake_complete:
            self.transport.abort()

    def _wait_with(self, data: bytes) -> None:
        """Go on with *data* in the next turn of the event loop."""
        self._unparsed = data
        self.transport.pause_reading()
        self.loop.call_soon(self._read_on)

    def _read_on(self) -> None:
        if self.read_paused:
            return  # the application is behind: it reads on when it has caught up
        self.data_received(b"")
        if self._may_read():
            self.transport.resume_reading()

    def _may_read(self) -> bool:
        return not (self._unparsed or self.read_paused or self.transport.is_closing())

    def _resume_reading(self) -> None:
        if not self.read_paused:
            return
        self.read_paused = False
        if self._unparsed:
            self.loop.call_soon(self._read_on)
        elif not self.transport.is_closing():
            self.transport.resume_reading()

    def _cut_within(self, grace_s: float) -> None:
        """Let the line go even if the client never takes what waits for it."""
        if self.disconnected:
            return
        if self.close_timer is not None:
            if self.close_timer.when() <= self.loop.time() + grace_s:
                return
            self.close_timer.cancel()
        self.close_timer = self.loop.call_later(grace_s, self.transport.abort)


def without_long_cookies(handshake: bytes) -> bytes:
    """Drop the cookies of a *handshake* that make a line longer than the parser takes.

    They are what other programs on localhost left: browsers share them over all ports.
    """
    lines = handshake.split(b"\r\n")
    return b"\r\n".join(
        line
        for line in lines
        if len(line) < MAX_LINE_LENGTH or not line.lower().startswith(b"cookie:")
    )


def peer_of(scope: Any) -> RoomsWebSocketProtocol | None:
    """Return the connection behind an ASGI *scope*; None on another server."""
    extension = (scope.get("extensions") or {}).get(EXTENSION)
    return extension["peer"] if extension else None
