"""Replace a file whole, or not at all."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from palabre.adapters.storage.errors import storage_error


def write_atomically(path: Path, content: bytes, *, sync: bool = True) -> None:
    """Make *path* hold *content*, readable by its owner alone; readers see the old or the new.

    Args:
        path: The file, in a directory that is there.
        content: All of it.
        sync: Wait until the disk has it, so that it outlives a power cut.

    Raises:
        StorageError: It could not be written; the old file is untouched.
    """
    try:
        descriptor, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as fault:
        raise storage_error(fault) from fault
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            if sync:
                os.fsync(file.fileno())
        Path(draft).replace(path)
    except OSError as fault:
        with suppress(OSError):
            Path(draft).unlink()
        raise storage_error(fault) from fault
    if sync:
        sync_path(path.parent)


def drop_drafts(directory: Path) -> None:
    """Delete what writes that were killed left in *directory*; nobody may be writing there.

    Raises:
        StorageError: It cannot be read or changed.
    """
    try:
        for draft in directory.glob(".*.json*.????????"):
            draft.unlink(missing_ok=True)
    except OSError as fault:
        raise storage_error(fault) from fault


def sync_path(path: Path) -> None:
    """Wait until the disk has the file or directory *path*; one that is gone is no matter.

    Raises:
        StorageError: The disk did not take it.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    except OSError as fault:
        raise storage_error(fault) from fault
    try:
        os.fsync(descriptor)
    except OSError as fault:
        raise storage_error(fault) from fault
    finally:
        os.close(descriptor)
