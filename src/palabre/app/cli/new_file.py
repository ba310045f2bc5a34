"""Write a file that is not there yet: whole, or not at all."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from palabre.kernel.errors import SetupError, UserError


class FileTakenError(UserError):
    """There is a `data["path"]` already."""

    code = "file_taken"


class FileUnwritableError(SetupError):
    """`data["path"]` cannot be written; `data["detail"]` says why."""

    code = "file_unwritable"


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """Give a file, its owner's alone, that becomes *path* when the block ends well.

    Raises:
        FileTakenError: *path* is there; it is left alone.
        FileUnwritableError: It cannot be written; nothing of it is left.
    """
    if os.path.lexists(path):
        raise FileTakenError(path=str(path))
    try:
        descriptor, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as fault:
        raise _unwritable(path, fault) from fault
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        _name(Path(draft), path)
    except OSError as fault:
        raise _unwritable(path, fault) from fault
    finally:
        with suppress(FileNotFoundError):
            Path(draft).unlink()


def _name(draft: Path, path: Path) -> None:
    if os.path.lexists(path):
        raise FileTakenError(path=str(path))
    draft.rename(path)


def _unwritable(path: Path, fault: OSError) -> FileUnwritableError:
    return FileUnwritableError(path=str(path), detail=fault.strerror or type(fault).__name__)
