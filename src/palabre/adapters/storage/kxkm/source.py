"""The files of such a data dir, read as tolerantly as can be; nothing is ever written there."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from palabre.adapters.storage.jsonl.forwards import lines_forwards

MAX_LINE_BYTES = 1024 * 1024
MAX_FILE_BYTES = 64 * 1024 * 1024
"""Of a file that is read whole."""

FOLDERS = ("chat-logs", "context", "persona-memory", "v2-local", "media", "voice-samples")
FEEDBACK = "feedback"

_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file, and its name below the data dir."""

    path: Path
    name: str

    def lines(self) -> Iterator[tuple[str, bytes | None]]:
        """Yield each line that is not empty, with its place; None for one that is too long.

        Raises:
            OSError: It cannot be read.
        """
        with os.fdopen(os.open(self.path, _FLAGS), "rb") as file:
            descriptor, size = file.fileno(), os.fstat(file.fileno()).st_size
            number = end = 0
            read = lines_forwards(
                lambda count, offset: os.pread(descriptor, count, offset),
                0,
                size,
                max_line_bytes=MAX_LINE_BYTES,
            )
            for following, line in read:
                number += 1
                is_long = not line and following - end > 2  # noqa: PLR2004 - \r\n
                end = following
                if is_long or line.strip():
                    yield f"{self.name}:{number}", None if is_long else line.rstrip(b"\r")
            if rest := os.pread(descriptor, MAX_LINE_BYTES + 1, end).strip():
                is_whole = len(rest) <= MAX_LINE_BYTES
                yield f"{self.name}:{number + 1}", rest if is_whole else None

    def content(self) -> bytes:
        """Return all of it.

        Raises:
            OSError: It cannot be read, or is too large.
        """
        with os.fdopen(os.open(self.path, _FLAGS), "rb") as file:
            if os.fstat(file.fileno()).st_size > MAX_FILE_BYTES:
                raise OSError(0, "too large")
            return file.read(MAX_FILE_BYTES)


def data_dir_in(folder: Path) -> Path | None:
    """Return the data dir that *folder* is, or holds as `data`; None if it is none."""
    for each in (folder, folder / "data"):
        if any((each / name).is_dir() for name in (*FOLDERS, FEEDBACK)):
            return each
    return None


def files_in(data_dir: Path) -> tuple[list[SourceFile], list[str]]:
    """Return every plain file below *data_dir*, by its name, and the names of what is none.

    That are links, which are not followed, pipes, and names that are no text.
    """
    found, others = [], []
    for place, folders, names in os.walk(data_dir):
        folders.sort()
        links = [each for each in folders if Path(place, each).is_symlink()]
        for each in sorted([*names, *links]):
            path = Path(place, each)
            name = path.relative_to(data_dir).as_posix()
            shown = os.fsencode(name).decode("utf-8", "backslashreplace")
            if stat.S_ISREG(path.lstat().st_mode) and shown == name:
                found.append(SourceFile(path, name))
            else:
                others.append(shown)
    return found, others
