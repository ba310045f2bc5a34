"""The data directory: private to its owner, and to one process at a time."""

import fcntl
import os
from contextlib import suppress
from pathlib import Path

from palabre.adapters.storage.errors import reason
from palabre.kernel.errors import SetupError

LOCK_NAME = "palabre.lock"
"""Empty but for the process id of who holds it; never deleted."""


class DataDirBusyError(SetupError):
    """Another process works on the directory `data["path"]`: the one with `data["pid"]`."""

    code = "data_dir_busy"


class DataDirUnusableError(SetupError):
    """The directory `data["path"]` cannot be made or written; `data["detail"]` says why."""

    code = "data_dir_unusable"


def make_private(directory: Path) -> None:
    """Make *directory*, and shut it to everybody but its owner if it is there already.

    Raises:
        DataDirUnusableError: It cannot be made, or is no directory.
    """
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        directory.chmod(0o700)
    except OSError as fault:
        raise _unusable(directory, fault) from fault


class DataDirLock:
    """Holds a data directory until it is released or the process ends, however it ends."""

    def __init__(self, data_dir: Path) -> None:
        """Take the lock of *data_dir*, which is made if it is not there.

        Raises:
            DataDirBusyError: Somebody holds it.
            DataDirUnusableError: The directory cannot be made or written.
        """
        try:
            data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._descriptor: int | None = _open_lock(data_dir / LOCK_NAME)
        except OSError as fault:
            raise _unusable(data_dir, fault) from fault
        try:
            self._take(self._descriptor, data_dir)
        except SetupError:
            self.release()
            raise

    def release(self) -> None:
        """Let others have the directory; harmless when done twice."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _take(self, descriptor: int, data_dir: Path) -> None:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        except BlockingIOError as fault:
            raise DataDirBusyError(path=str(data_dir), pid=_holder(descriptor)) from fault
        except OSError as fault:
            raise _unusable(data_dir, fault) from fault


def _open_lock(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def _holder(descriptor: int) -> str:
    with suppress(OSError):
        return os.pread(descriptor, 20, 0).decode("ascii", "replace").strip() or "?"
    return "?"


def _unusable(path: Path, fault: OSError) -> DataDirUnusableError:
    return DataDirUnusableError(path=str(path), detail=reason(fault))
