"""Read a file of lines from its end, no further than somebody asks."""

from collections.abc import Callable, Iterator

BLOCK_BYTES = 16 * 1024

ReadAt = Callable[[int, int], bytes]
"""`read_at(count, offset)` returns up to *count* bytes from *offset*, as `os.pread` does."""


def lines_backwards(
    read_at: ReadAt, end: int, *, max_line_bytes: int, block_bytes: int = BLOCK_BYTES
) -> Iterator[tuple[int, bytes]]:
    r"""Yield the lines of the first *end* bytes, newest first, each with its offset.

    Only `\n` ends a line, and it is left out. What follows the last one is a line too, often an
    empty one. A line longer than *max_line_bytes* comes as `b""` and never lies in memory whole.
    Stops early when the file turns out shorter than *end*.
    """
    line = _Pieces(max_line_bytes)
    position = end
    while position > 0:
        size = min(block_bytes, position)
        position -= size
        block = read_at(size, position)
        if len(block) < size:
            return
        stop = size
        while (newline := block.rfind(b"\n", 0, stop)) >= 0:
            line.put_before(block[newline + 1 : stop])
            yield position + newline + 1, line.take()
            stop = newline
        line.put_before(block[:stop])
    yield 0, line.take()


class _Pieces:
    """A line that is found end first."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._pieces: list[bytes] = []
        self._size = 0

    def put_before(self, piece: bytes) -> None:
        self._size += len(piece)
        self._pieces.append(piece)
        if self._size > self._max_bytes:
            self._pieces.clear()

    def take(self) -> bytes:
        line = b"".join(reversed(self._pieces)) if self._size <= self._max_bytes else b""
        self._pieces.clear()
        self._size = 0
        return line
