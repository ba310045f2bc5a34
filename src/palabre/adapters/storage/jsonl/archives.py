"""What summaries stand for, packed: `archive/<channel>.<moment>-<n>.jsonl.gz`."""

import gzip
import os
from contextlib import suppress
from pathlib import Path

from palabre.adapters.storage.atomic import sync_path
from palabre.adapters.storage.data_dir import make_private
from palabre.adapters.storage.jsonl.backwards import ReadAt
from palabre.core.chat.model import Tidied
from palabre.kernel.errors import StorageError

_BLOCK_BYTES = 256 * 1024
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
PART_SUFFIX = ".part"
SHORTER = "the context is shorter than it was"


def pack(read_at: ReadAt, end: int, path: Path) -> None:
    """Pack the first *end* bytes into *path*, which is not there yet; the disk has it then.

    Raises:
        OSError, StorageError: It cannot be written; nothing of it is left.
    """
    make_private(path.parent)
    part = path.with_name(f"{path.name}{PART_SUFFIX}")
    try:
        with os.fdopen(os.open(part, _NEW, 0o600), "wb") as file:
            with gzip.GzipFile(fileobj=file, mode="wb", filename="", mtime=0) as packed:
                position = 0
                while block := read_at(min(_BLOCK_BYTES, end - position), position):
                    packed.write(block)
                    position += len(block)
            file.flush()
            os.fsync(file.fileno())
        if position != end:
            raise StorageError(detail=SHORTER)  # noqa: TRY301 - cleaned up below
        part.rename(path)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise
    sync_path(path.parent)


def tidy(contexts: Path, archives: Path, max_bytes: int) -> Tidied:
    """Delete the oldest *archives* until they and the *contexts* take no more than *max_bytes*.

    Raises:
        OSError: The directories cannot be read or changed.
    """
    live_bytes = sum(size for _, _, size in _sizes(contexts, "*.jsonl"))
    found = sorted(_sizes(archives, "*.jsonl.gz"))
    total_bytes = live_bytes + sum(size for _, _, size in found)
    deleted = 0
    for _, path, size in found:
        if total_bytes <= max_bytes:
            break
        Path(path).unlink(missing_ok=True)
        total_bytes -= size
        deleted += 1
    return Tidied(total_bytes, deleted)


def drop_parts(archives: Path) -> None:
    """Delete what a killed process left half packed."""
    for part in archives.glob(f"*{PART_SUFFIX}"):
        part.unlink(missing_ok=True)


def _sizes(directory: Path, pattern: str) -> list[tuple[int, str, int]]:
    """Return when each file was written (ns), its path, and its bytes."""
    sizes = []
    for path in directory.glob(pattern):
        with suppress(FileNotFoundError):
            found = path.lstat()
            sizes.append((found.st_mtime_ns, str(path), found.st_size))
    return sizes
