"""Newline-delimited JSON, cut into lines at the byte level.

Text-level line readers also split at U+2028 and U+0085, which JSON allows inside strings, and
stumble over characters cut in two; bytes have neither problem.
"""

from palabre.core.models.errors import OddAnswerError

MAX_LINE_BYTES = 8 * 1024 * 1024


class NdjsonLines:
    """Collects a byte stream into its non-blank lines, however the stream is split."""

    def __init__(self, max_line_bytes: int = MAX_LINE_BYTES) -> None:
        self._max_line_bytes = max_line_bytes
        self._rest = bytearray()

    def feed(self, chunk: bytes) -> list[bytes]:
        r"""Return the lines that *chunk* completes, without `\n` or `\r\n`.

        Raises:
            OddAnswerError: A line is longer than `max_line_bytes`.
        """
        head, *tail = chunk.split(b"\n")
        self._keep(head)
        lines: list[bytes] = []
        for part in tail:
            lines.append(self._take())
            self._keep(part)
        return [line for line in lines if line]

    def finish(self) -> list[bytes]:
        """Return the last line if the stream ended without a newline."""
        line = self._take()
        return [line] if line else []

    def _keep(self, part: bytes) -> None:
        self._rest += part
        if len(self._rest) > self._max_line_bytes:
            raise OddAnswerError(detail=f"> {self._max_line_bytes} B")

    def _take(self) -> bytes:
        line = bytes(self._rest).strip()
        self._rest.clear()
        return line
