"""One day's log: `chat-logs/v2-YYYY-MM-DD.jsonl`, as far as it holds whole lines."""

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from hashlib import sha256
from pathlib import Path

from palabre.adapters.storage.day_logs.line import read_log_line
from palabre.adapters.storage.jsonl.backwards import ReadAt
from palabre.adapters.storage.jsonl.forwards import lines_forwards
from palabre.core.history.model import NewLine

MAX_LINE_BYTES = 1024 * 1024
MAX_PIECE_LINES = 500
MAX_PIECE_BYTES = 256 * 1024

_NAME = re.compile(r"v2-([0-9]{4}-[0-9]{2}-[0-9]{2})\.jsonl")
_PRINT_BYTES = 512
_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK


@dataclass(frozen=True, slots=True)
class DayFile:
    """A file as it was seen; when it is seen otherwise, there may be more in it."""

    day: date
    path: Path
    size_bytes: int
    modified_ns: int


@dataclass(frozen=True, slots=True)
class Piece:
    """Some whole lines of a file.

    Attributes:
        start: Where the first one begins.
        end: Behind the newline of the last one.
        lines: Each with where it begins; empty lines are left out.
        print: Of the file up to *end*.
    """

    start: int
    end: int
    lines: list[tuple[int, NewLine]]
    print: str


def day_files(directory: Path) -> list[DayFile]:
    """Return the logs in *directory*, the newest first; none where it is not there.

    Raises:
        OSError: It cannot be read.
    """
    try:
        paths = list(directory.iterdir())
    except FileNotFoundError:
        return []
    found = (_seen(path, day) for path in paths if (day := day_of_name(path.name)))
    return sorted((each for each in found if each), key=lambda each: each.day, reverse=True)


def day_of_name(name: str) -> date | None:
    """Return the day whose log is called *name*; None if it is no log."""
    match = _NAME.fullmatch(name)
    try:
        return date.fromisoformat(match[1]) if match else None
    except ValueError:
        return None


def read_piece(file: DayFile, start: int, known_print: str) -> Piece | None:
    """Return the lines from *start* on, as many as one piece holds, an empty piece at the end.

    None where the file is not the one of which *known_print* was taken at *start*.

    Raises:
        OSError: It cannot be read.
    """
    with _opened(file.path) as read_at:
        if start and print_of(read_at, start) != known_print:
            return None
        lines, end = _lines(read_at, start, file)
        return Piece(start, end, lines, print_of(read_at, end))


def print_of(read_at: ReadAt, end: int) -> str:
    """Return what tells whether the first *end* bytes of a file are still the same."""
    head = read_at(min(_PRINT_BYTES, end), 0)
    tail_start = max(0, end - _PRINT_BYTES)
    return sha256(head + b"|" + read_at(end - tail_start, tail_start)).hexdigest()


def _lines(read_at: ReadAt, start: int, file: DayFile) -> tuple[list[tuple[int, NewLine]], int]:
    lines: list[tuple[int, NewLine]] = []
    position, stop = start, file.size_bytes
    for end, line in lines_forwards(read_at, start, stop, max_line_bytes=MAX_LINE_BYTES):
        if line.strip() or end - position > MAX_LINE_BYTES:
            lines.append((position, read_log_line(line, file.day, end - position)))
        position = end
        if len(lines) >= MAX_PIECE_LINES or position - start >= MAX_PIECE_BYTES:
            break
    return lines, position


def _seen(path: Path, day: date) -> DayFile | None:
    try:
        found = path.lstat()
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found.st_mode):
        return None
    return DayFile(day, path, found.st_size, found.st_mtime_ns)


@contextmanager
def _opened(path: Path) -> Iterator[ReadAt]:
    descriptor = os.open(path, _FLAGS)
    try:
        yield lambda count, offset: os.pread(descriptor, count, offset)
    finally:
        os.close(descriptor)
