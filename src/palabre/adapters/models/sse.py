"""Server-sent events, read at the byte level.

By the rules of the HTML standard, section "Interpreting an event stream", as far as a client
that never reconnects needs them: `event`, `id` and `retry` are read over.
"""

from palabre.core.models.errors import OddAnswerError

MAX_EVENT_BYTES = 8 * 1024 * 1024
_BOM = b"\xef\xbb\xbf"


class SseEvents:
    """Collects a byte stream into its events, however the stream is split."""

    def __init__(self, max_event_bytes: int = MAX_EVENT_BYTES) -> None:
        self._max_event_bytes = max_event_bytes
        self._line = bytearray()
        self._data: list[bytes] = []
        self._size_bytes = 0
        self._after_cr = False
        self._first_line = True

    def feed(self, chunk: bytes) -> list[bytes]:
        """Return the `data` of each event that *chunk* completes, its lines joined with newlines.

        An event that the stream's end cuts is lost.

        Raises:
            OddAnswerError: An event is longer than `max_event_bytes`.
        """
        if self._after_cr and chunk:
            chunk = chunk.removeprefix(b"\n")
            self._after_cr = False
        self._after_cr = self._after_cr or chunk.endswith(b"\r")
        head, *tail = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        self._keep(head)
        events: list[bytes | None] = []
        for part in tail:
            events.append(self._end_line())
            self._keep(part)
        return [event for event in events if event is not None]

    def _keep(self, part: bytes) -> None:
        self._line += part
        if self._size_bytes + len(self._line) > self._max_event_bytes:
            raise OddAnswerError(detail=f"> {self._max_event_bytes} B")

    def _end_line(self) -> bytes | None:
        line = bytes(self._line)
        self._line.clear()
        if self._first_line:
            line = line.removeprefix(_BOM)
            self._first_line = False
        if not line:
            return self._dispatch()
        self._field(*line.partition(b":"))
        return None

    def _field(self, name: bytes, _colon: bytes, value: bytes) -> None:
        value = value.removeprefix(b" ")
        if name == b"data":
            self._data.append(value)
            self._size_bytes += len(value)

    def _dispatch(self) -> bytes | None:
        data, self._data, self._size_bytes = self._data, [], 0
        return b"\n".join(data) if data else None
