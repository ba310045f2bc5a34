"""One open file that grows by whole lines."""

import os
import stat
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from palabre.adapters.storage.errors import NotPlainFileError

_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class LineFile:
    r"""A file at whose end this process alone writes.

    Whatever happens, it ends with a `\n` between two calls: a line torn by a crash is ended when
    the file is opened, and one torn by a full disk is cut off again.

    Attributes:
        size: Bytes in the file.
    """

    def __init__(self, path: str) -> None:
        """Open *path*, made for its owner alone, as is its directory, if it is not there.

        Raises:
            OSError: It cannot be opened or mended, or is a link.
            NotPlainFileError: It is a pipe or something like that.
        """
        self._path = path
        self._descriptor = _open(path)
        try:
            self._inode, self.size = _plain_file(self._descriptor)
            self._end_torn_line()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the file."""
        os.close(self._descriptor)

    def is_current(self) -> bool:
        """Say whether the path still leads to this file, and nobody else changed its size."""
        try:
            found = os.stat(self._path, follow_symlinks=False)  # noqa: PTH116 - once a batch
        except OSError:
            return False
        return found.st_ino == self._inode and found.st_size == self.size

    def append(self, lines: Sequence[bytes]) -> tuple[int, OSError | None]:
        """Write *lines*, each with its newline, at once.

        Returns:
            How many of them, from the first, are in the file, and why the others are not.
        """
        written, fault = self._write(b"".join(lines))
        if fault is None:
            self.size += written
            return len(lines), None
        count, whole = _whole_lines(lines, written)
        self.cut(self.size + whole)
        return count, fault

    def cut(self, size: int) -> None:
        """Take back what was written after the first *size* bytes."""
        # Where even this fails, the size no longer fits and the file is opened anew.
        self.size = size
        with suppress(OSError):
            os.ftruncate(self._descriptor, size)

    def _end_torn_line(self) -> None:
        if self.size and os.pread(self._descriptor, 1, self.size - 1) != b"\n":
            os.write(self._descriptor, b"\n")
            self.size += 1

    def _write(self, content: bytes) -> tuple[int, OSError | None]:
        written = 0
        while written < len(content):
            try:
                written += os.write(self._descriptor, content[written:])
            except OSError as fault:
                return written, fault
        return written, None


class OpenFiles:
    """The files used last, by path; at most *limit* of them are open."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._files: OrderedDict[str, LineFile] = OrderedDict()

    def get(self, path: str) -> LineFile:
        """Return *path*, open.

        Raises:
            OSError: It cannot be opened.
            NotPlainFileError: It is a pipe or something like that.
        """
        file = self._files.pop(path, None)
        if file and not file.is_current():
            file.close()
            file = None
        file = file or LineFile(path)
        self._files[path] = file
        if len(self._files) > self._limit:
            self._files.popitem(last=False)[1].close()
        return file

    def close(self) -> None:
        """Close them all."""
        while self._files:
            self._files.popitem()[1].close()


def _open(path: str) -> int:
    try:
        return os.open(path, _FLAGS, 0o600)
    except FileNotFoundError:  # somebody took the directory away while we run
        directory = Path(path).parent
        for each in (directory.parent, directory):  # mkdir gives its mode to the last alone
            each.mkdir(mode=0o700, parents=True, exist_ok=True)
        return os.open(path, _FLAGS, 0o600)


def _plain_file(descriptor: int) -> tuple[int, int]:
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        raise NotPlainFileError
    return found.st_ino, found.st_size


def _whole_lines(lines: Sequence[bytes], written: int) -> tuple[int, int]:
    count = whole = 0
    for line in lines:
        if whole + len(line) > written:
            break
        whole += len(line)
        count += 1
    return count, whole
