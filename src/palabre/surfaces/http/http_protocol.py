"""uvicorn's HTTP protocol, with what it leaves open: how long it waits, and for how much.

Source: RFC 9110 §15.5.9 (408), RFC 6585 §5 (431).
"""

from asyncio import BaseTransport, TimerHandle, Transport
from http import HTTPStatus
from typing import cast

from uvicorn.protocols.http.httptools_impl import (
    STATUS_LINE,
    HttpToolsProtocol,
    RequestResponseCycle,
)

from palabre.surfaces.http.answers import SECURITY_HEADERS
from palabre.surfaces.http.errors import refusal

MAX_HEAD_BYTES = 64 * 1024
MAX_HEADERS = 200

HEAD_WITHIN_S = 20.0
"""Time for the head of a request, from the connection's beginning or the answer before it."""

UNREAD_WITHIN_S = 60.0
"""Time for a client to take some of what waits for it."""


class HeadTooLargeError(Exception):
    """The head has more lines than any client needs."""


class BoundedHttpProtocol(HttpToolsProtocol):
    """One HTTP connection, to be given to uvicorn as its `http` class."""

    head_within_s = HEAD_WITHIN_S
    unread_within_s = UNREAD_WITHIN_S

    _is_in_head = True
    _head_bytes = 0
    _head_timer: TimerHandle | None = None
    _unread_timer: TimerHandle | None = None

    def connection_made(self, transport: BaseTransport) -> None:
        """Begin to wait for the first head."""
        super().connection_made(cast("Transport", transport))
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        self._stop_waiting()
        self.resume_writing()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse, and count what belongs to a head that goes on."""
        super().data_received(data)
        self._head_bytes += len(data)
        if self._is_in_head and self._head_bytes > MAX_HEAD_BYTES:
            self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)

    def on_message_begin(self) -> None:
        """Begin a head."""
        super().on_message_begin()
        self._is_in_head, self._head_bytes = True, 0
        self._await_head()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep a header, unless there are too many."""
        if len(self.headers) >= MAX_HEADERS:
            raise HeadTooLargeError
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """End a head."""
        self._is_in_head = False
        self._stop_waiting()
        super().on_headers_complete()

    def on_response_complete(self) -> None:
        """Begin to wait for the next head, whatever else may drip in."""
        super().on_response_complete()
        self._await_head()

    def pause_writing(self) -> None:
        """Give the client its time to read."""
        super().pause_writing()
        self._unread_timer = self.loop.call_later(self.unread_within_s, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on: the client reads."""
        if self._unread_timer is not None:
            self._unread_timer.cancel()
            self._unread_timer = None
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - uvicorn's own words
        """Say in the shape of all errors that this is no request."""
        is_long = len(self.headers or ()) >= MAX_HEADERS
        self._refuse(
            HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE if is_long else HTTPStatus.BAD_REQUEST
        )

    def _await_head(self) -> None:
        if self._head_timer is None and not self.transport.is_closing():
            self._head_timer = self.loop.call_later(self.head_within_s, self._give_up)

    def _stop_waiting(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _give_up(self) -> None:
        self._head_timer = None
        if self._is_answering():
            self._await_head()
        elif self._is_in_head and self._head_bytes:
            self._refuse(HTTPStatus.REQUEST_TIMEOUT)
        else:
            self.transport.close()

    def _is_answering(self) -> bool:
        """Say whether what was asked before is still being answered."""
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is not None and not cycle.response_complete

    def _refuse(self, status: HTTPStatus) -> None:
        if self.transport.is_closing():
            return
        answer = refusal(status, headers={**SECURITY_HEADERS, "Connection": "close"})
        lines = (name + b": " + value + b"\r\n" for name, value in answer.raw_headers)
        self.transport.write(b"".join([STATUS_LINE[status], *lines, b"\r\n", bytes(answer.body)]))
        self.transport.close()
