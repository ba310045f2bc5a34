"""Read a file of lines from some offset on."""

from collections.abc import Iterator

from palabre.adapters.storage.jsonl.backwards import ReadAt

BLOCK_BYTES = 256 * 1024


def lines_forwards(
    read_at: ReadAt, start: int, end: int, *, max_line_bytes: int
) -> Iterator[tuple[int, bytes]]:
    r"""Yield the lines from *start* to *end*, each with the offset behind its newline.

    Only `\n` ends a line, and it is left out. A line longer than *max_line_bytes* comes as `b""`.
    What follows the last newline is no line. Stops early where the file is shorter than *end*.
    """
    rest, is_long, position = b"", False, start
    while position < end:
        block = read_at(min(BLOCK_BYTES, end - position), position)
        if not block:
            return
        at = 0
        while (newline := block.find(b"\n", at)) >= 0:
            line = rest + block[at:newline]
            is_long = is_long or len(line) > max_line_bytes
            yield position + newline + 1, b"" if is_long else line
            rest, is_long, at = b"", False, newline + 1
        rest += block[at:]
        if len(rest) > max_line_bytes:
            rest, is_long = b"", True
        position += len(block)
