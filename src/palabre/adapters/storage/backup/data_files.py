"""Which files of a data dir are in a backup, and how they are copied while others write them."""

import os
import re
import stat
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from palabre.adapters.storage.data_dir import LOCK_NAME
from palabre.adapters.storage.errors import NotPlainFileError, reason
from palabre.adapters.storage.jsonl.layout import DRAFT_SUFFIX, NEXT_SUFFIX
from palabre.adapters.storage.sql.address import FILE_NAME
from palabre.kernel.errors import StorageError

MEDIA = "media"
CONTEXT = "context"
PIECE_BYTES = 256 * 1024
MAX_NAME_BYTES = 1024
MAX_LAST_LINE_BYTES = 16 * 1024 * 1024
"""Of a line that has no end yet; what is longer is not finished."""

SETTLE_S = 2.0
"""How long a summary that is being put in place is waited for; it takes milliseconds."""

MARK_NAME = "palabre.restoring"
"""Of a restore that is on its way."""

_OWN_NAMES = "|".join(map(re.escape, (LOCK_NAME, MARK_NAME, "logs")))
_OWN = re.compile(rf"{re.escape(FILE_NAME)}(?:-\w+)?|{_OWN_NAMES}")
_PASSING = (".index.json", NEXT_SUFFIX, DRAFT_SUFFIX, ".part")
_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class DataFile:
    """One file: where it is, and its name below the data dir, with `/`."""

    path: Path
    name: str
    size_bytes: int


def is_kept(name: str) -> bool:
    """Say whether a file *name*, relative to the data dir, is part of a backup.

    The database is in it as tables; locks, caches, drafts, hidden files and the program's own logs
    are not.
    """
    parts = name.split("/")
    if any(part.startswith(".") for part in parts) or _OWN.fullmatch(parts[0]):
        return False
    return not (parts[0] == CONTEXT and name.endswith(_PASSING))


def is_safe(name: str) -> bool:
    """Say whether *name* is that of a file below the data dir, whatever wrote it."""
    parts = name.split("/")
    is_short = len(name.encode("utf-8", "surrogatepass")) <= MAX_NAME_BYTES
    return is_short and name.isprintable() and all(p not in {"", ".", ".."} for p in parts)


def files_below(
    data_dir: Path, excluded: Collection[Path] = (), *, media: bool = True
) -> tuple[list[DataFile], list[str]]:
    """Return the files of *data_dir* in the order in which to copy them, and what is no file.

    Contexts come before archives: lines that are moved meanwhile are then in both, never in
    neither. Of media, only contents are listed the second time: what is described is there.
    """
    found, left_out = _walk(data_dir, excluded, media=media)
    if media:
        again, _ = _walk(data_dir / MEDIA, excluded, media=True, prefix=f"{MEDIA}/")
        known = {each.name for each in found}
        found += [e for e in again if e.name not in known and not e.name.endswith(".json")]
    return sorted(found, key=_turn), left_out


def _turn(file: DataFile) -> tuple[bool, str]:
    return file.name.startswith(f"{CONTEXT}/archive/"), file.name


def _walk(
    folder: Path, excluded: Collection[Path], *, media: bool, prefix: str = ""
) -> tuple[list[DataFile], list[str]]:
    found: list[DataFile] = []
    left_out: list[str] = []
    for entry in _entries(folder):
        name = f"{prefix}{entry.name}"
        is_media = name == MEDIA and not prefix
        if not is_kept(name) or Path(entry.path) in excluded or (is_media and not media):
            continue
        if entry.is_dir(follow_symlinks=False):
            below, others = _walk(Path(entry.path), excluded, media=media, prefix=f"{name}/")
            found += below
            left_out += others
        elif entry.is_file(follow_symlinks=False) and is_safe(name):
            with suppress(FileNotFoundError):
                size = entry.stat(follow_symlinks=False).st_size
                found.append(DataFile(Path(entry.path), name, size))
        else:
            left_out.append(os.fsencode(name).decode("utf-8", "backslashreplace"))
    return found, left_out


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except FileNotFoundError:
        return []
    except OSError as fault:
        raise StorageError(detail=f"{folder}: {reason(fault)}") from fault


@contextmanager
def opened(file: DataFile) -> Iterator[int | None]:
    """Give *file* to be read from, as it is now; None if it is gone.

    Raises:
        StorageError: It cannot be read.
    """
    try:
        descriptor = _open(file.path)
    except FileNotFoundError:
        yield None
        return
    except OSError as fault:
        raise StorageError(detail=f"{file.name}: {reason(fault)}") from fault
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def pieces(descriptor: int, name: str) -> Iterator[bytes]:
    """Yield what the file holds now; of a file of lines, only lines that are whole.

    What others append meanwhile is not in it.
    """
    size = os.fstat(descriptor).st_size
    end = _end_of_lines(descriptor, size) if name.endswith(".jsonl") else size
    return _pieces(descriptor, end)


def _pieces(descriptor: int, end: int) -> Iterator[bytes]:
    position = 0
    while position < end:
        piece = os.pread(descriptor, min(PIECE_BYTES, end - position), position)
        if not piece:
            return
        position += len(piece)
        yield piece


def _end_of_lines(descriptor: int, size: int) -> int:
    """Return where the last line ends that is whole: it has its end, or is JSON without it."""
    end, newline = size, -1
    while end and newline < 0:
        start = max(0, end - PIECE_BYTES)
        newline = os.pread(descriptor, end - start, start).rfind(b"\n")
        end = start + newline + 1
    rest = size - end  # by a program that ends no line, or is just writing one
    is_whole = rest <= MAX_LAST_LINE_BYTES and _is_whole(os.pread(descriptor, rest, end))
    return size if is_whole else end


def _is_whole(line: bytes) -> bool:
    try:
        msgspec.json.decode(line)
    except (msgspec.MsgspecError, RecursionError):
        return False
    return True


def _open(path: Path) -> int:
    """Open *path*; of a context, at a moment when its summary belongs to it."""
    if path.parent.name != CONTEXT or path.suffix != ".jsonl":
        return _open_plain(path)
    following = path.with_name(f"{path.stem}{NEXT_SUFFIX}")
    until_s = time.monotonic() + SETTLE_S
    while True:
        is_settled = not following.exists()
        descriptor = _open_plain(path)
        if (is_settled and not following.exists()) or time.monotonic() > until_s:
            return descriptor
        os.close(descriptor)
        time.sleep(0.02)


def _open_plain(path: Path) -> int:
    descriptor = os.open(path, _FLAGS)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise NotPlainFileError
    return descriptor
