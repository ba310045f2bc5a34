"""How much a context file holds, counted once and remembered beside it.

`<channel>.index.json` says how many utterances and characters lie before an offset, and how to
tell that the file is still the one that was counted. It is a memory, never the truth: when it is
missing, or does not fit the file, the file is counted again.
"""

from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import msgspec

from palabre.adapters.storage.atomic import write_atomically
from palabre.adapters.storage.jsonl.backwards import lines_backwards
from palabre.adapters.storage.jsonl.context_file import ContextFile, open_context, read_beginning
from palabre.adapters.storage.jsonl.line_format import MAX_LINE_BYTES, count_chars
from palabre.kernel.errors import StorageError

_COUNT_BLOCK_BYTES = 256 * 1024
_PROOF_BYTES = 64
_MAX_INDEX_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Count:
    """Utterances and characters of texts in the first *offset* bytes of a file."""

    offset: int = 0
    messages: int = 0
    chars: int = 0

    def plus(self, end: int, chars: int) -> "Count":
        """Return the count with one more utterance, of *chars* characters, up to *end*."""
        return Count(end, self.messages + 1, self.chars + chars)


class _Index(msgspec.Struct):
    offset: int
    messages: int
    chars: int
    inode: int
    head: int
    tail: int


def count_context(file: ContextFile, index_path: str) -> tuple[Count, int]:
    """Count *file*, as long as it was when it was opened, beginning where its index leaves off.

    Returns:
        The count, and how many utterances the index did not know of.

    Raises:
        StorageError: The file cannot be read.
    """
    end = file.size
    known = _recall(file, index_path, end)
    messages, chars = _count_between(file, known.offset, end)
    return Count(end, known.messages + messages, known.chars + chars), messages


def save_count(path: str, index_path: str, count: Count) -> None:
    """Remember *count* of *path*.

    Raises:
        StorageError: It cannot be written.
    """
    with open_context(path) as file:
        if file is None:
            return
        head, tail = _proof(file, count.offset)
        index = _Index(count.offset, count.messages, count.chars, file.inode, head, tail)
    write_atomically(Path(index_path), msgspec.json.encode(index), sync=False)


def _count_between(file: ContextFile, start: int, end: int) -> tuple[int, int]:
    messages = chars = 0
    if start == end:
        return messages, chars
    for offset, line in lines_backwards(
        file.read_at, end, max_line_bytes=MAX_LINE_BYTES, block_bytes=_COUNT_BLOCK_BYTES
    ):
        if offset < start:
            break
        size = count_chars(line) if line else None
        if size is not None:
            messages, chars = messages + 1, chars + size
    return messages, chars


def _recall(file: ContextFile, index_path: str, end: int) -> Count:
    try:
        content = read_beginning(index_path, _MAX_INDEX_BYTES) or b""
        index = msgspec.json.decode(content, type=_Index)
    except (StorageError, msgspec.MsgspecError, RecursionError):
        return Count()
    fits = (
        0 <= index.offset <= min(end, file.size)
        and index.inode == file.inode
        and (index.head, index.tail) == _proof(file, index.offset)
    )
    return Count(index.offset, index.messages, index.chars) if fits else Count()


def _proof(file: ContextFile, offset: int) -> tuple[int, int]:
    """Return checksums of the first and the last bytes before *offset*."""
    size = min(_PROOF_BYTES, offset)
    return crc32(file.read_at(size, 0)), crc32(file.read_at(size, offset - size))
