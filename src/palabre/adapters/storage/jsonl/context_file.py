"""Open a context file, or one beside it, to read it."""

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from palabre.adapters.storage.errors import NotPlainFileError, storage_error
from palabre.adapters.storage.jsonl.backwards import ReadAt

_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

PRead = Callable[[int, int, int], bytes]
"""`pread(descriptor, count, offset)`, as `os.pread`."""


@dataclass(frozen=True, slots=True)
class ContextFile:
    """A file that is open for reading."""

    inode: int
    size: int
    read_at: ReadAt


@contextmanager
def open_context(path: str, pread: PRead = os.pread) -> Iterator[ContextFile | None]:
    """Open *path*; gives None when there is no such file.

    Raises:
        StorageError: It cannot be read, or is a link or no plain file.
    """
    try:
        descriptor = os.open(path, _FLAGS)
    except FileNotFoundError:
        yield None
        return
    except OSError as fault:
        raise storage_error(fault) from fault
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise NotPlainFileError
        yield ContextFile(
            found.st_ino,
            found.st_size,
            lambda count, offset: pread(descriptor, count, offset),
        )
    except OSError as fault:
        raise storage_error(fault) from fault
    finally:
        os.close(descriptor)


def read_beginning(path: str, max_bytes: int) -> bytes | None:
    """Return the first *max_bytes* of *path*, or all it has; None when there is no such file.

    Raises:
        StorageError: As `open_context`.
    """
    with open_context(path) as file:
        return file.read_at(max_bytes, 0) if file else None
