"""Put a summary in the place of a context's oldest lines: all of it or nothing.

1. The lines are packed into the archive.
2. The other lines are copied to a draft of the context.
3. `<channel>.summary.next.json` gets the new summary and the draft's inode.
4. In the thread that appends: what came meanwhile is copied, the draft becomes the context.
5. The next summary becomes the summary.

A process killed before 4 leaves the old context and summary, one killed after it the new context,
and `recover` finds by the inode that the next summary belongs to it. Nothing deletes words that
are not in the archive.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import msgspec

from palabre.adapters.storage.atomic import drop_drafts, sync_path, write_atomically
from palabre.adapters.storage.jsonl.archives import SHORTER, drop_parts, pack
from palabre.adapters.storage.jsonl.context_file import ContextFile, open_context
from palabre.adapters.storage.jsonl.layout import DRAFT_SUFFIX, NEXT_SUFFIX, MessageFiles
from palabre.adapters.storage.jsonl.summary_file import (
    as_compaction,
    read_compaction,
    summary_json,
)
from palabre.core.chat.model import Backlog
from palabre.kernel.errors import StorageError
from palabre.kernel.ids import ChannelName

_BLOCK_BYTES = 256 * 1024
_DRAFT = os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
_MAX_NEXT_BYTES = 1024 * 1024

InAppendThread = Callable[[Callable[[], bool]], bool]
"""Does the work between two appends and waits for it."""

Swapped = Callable[[ChannelName, str, int, int], None]
"""Told of the channel, its file, and the file's size before and after, between two appends."""


def compact(
    files: MessageFiles,
    backlog: Backlog,
    summary: str,
    at: datetime,
    *,
    between_appends: InAppendThread,
    swapped: Swapped,
) -> bool:
    """Do it; False when the context is no longer the one of *backlog*.

    Raises:
        OSError, StorageError: Something cannot be read or written: nothing changed.
    """
    path = files.context(backlog.channel)
    with open_context(path) as file:
        if file is None or not is_of(file, backlog):
            return False
        archive = _free_archive(files, backlog.channel, at)
        pack(file.read_at, backlog.end, archive)
        swap = _Swap(files, backlog, file, swapped)
        try:
            swap.prepare(summary, at)
            done = between_appends(swap.replace)
        except BaseException:
            swap.give_up(archive)
            raise
        if not done:
            swap.give_up(archive)
            return False
    finish(files, backlog.channel)
    return True


def token_of(file: ContextFile) -> str:
    """Return what a context file is known by."""
    return str(file.inode)


def is_of(file: ContextFile, backlog: Backlog) -> bool:
    """Say whether *file* still begins with *backlog*."""
    return token_of(file) == backlog.token and file.size >= backlog.end


def finish(files: MessageFiles, channel: ChannelName) -> None:
    """Let the next summary of *channel* become its summary.

    Raises:
        OSError, StorageError: It cannot be written; it will be done at the next start.
    """
    _finish(Path(files.next_summary(channel)), Path(files.summary(channel)))


def recover(files: MessageFiles) -> None:
    """End what a killed process had begun.

    Raises:
        OSError, StorageError: The directory cannot be read or changed.
    """
    contexts = Path(files.contexts)
    for following in contexts.glob(f"*{NEXT_SUFFIX}"):
        stem = following.name.removesuffix(NEXT_SUFFIX)
        if _inode_in(following) == _inode_of(contexts / f"{stem}.jsonl"):
            _finish(following, contexts / f"{stem}.summary.json")
        else:
            following.unlink(missing_ok=True)
    for draft in contexts.glob(f"*{DRAFT_SUFFIX}"):
        draft.unlink(missing_ok=True)
    drop_drafts(contexts)
    drop_parts(Path(files.archives))


class _Swap:
    """One context on its way to be replaced by its newest lines."""

    def __init__(
        self, files: MessageFiles, backlog: Backlog, file: ContextFile, swapped: Swapped
    ) -> None:
        self._files = files
        self._backlog = backlog
        self._file = file
        self._swapped = swapped
        self._path = files.context(backlog.channel)
        self._draft = files.draft(backlog.channel)
        self._copied = backlog.end
        self._is_done = False

    def prepare(self, summary: str, at: datetime) -> None:
        """Write the draft, as far as the context goes now, and the summary that belongs to it."""
        channel = self._backlog.channel
        descriptor = os.open(self._draft, _DRAFT, 0o600)
        try:
            self._copy(descriptor, self._file.size)
            os.fsync(descriptor)
            inode = os.fstat(descriptor).st_ino
        finally:
            os.close(descriptor)
        before = read_compaction(self._files.summary(channel))
        content = summary_json(channel, before.plus(self._backlog.entries, summary, at))
        following = msgspec.json.encode(content | {"contextInode": inode})
        write_atomically(Path(self._files.next_summary(channel)), following)

    def replace(self) -> bool:
        """Copy what came since and put the draft in the context's place, between two appends."""
        try:
            now = os.stat(self._path, follow_symlinks=False)  # noqa: PTH116 - as in open_files
        except FileNotFoundError:
            return False
        if now.st_ino != self._file.inode or now.st_size < self._copied:
            return False
        descriptor = os.open(self._draft, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            os.lseek(descriptor, 0, os.SEEK_END)
            self._copy(descriptor, now.st_size)
        finally:
            os.close(descriptor)
        Path(self._draft).replace(self._path)
        self._is_done = True
        size = now.st_size - self._backlog.end
        self._swapped(self._backlog.channel, self._path, now.st_size, size)
        return True

    def give_up(self, archive: Path) -> None:
        """Take everything back, unless the context was replaced already."""
        if self._is_done:
            return
        following = Path(self._files.next_summary(self._backlog.channel))
        for path in (following, Path(self._draft), archive):
            with suppress(OSError):
                path.unlink(missing_ok=True)

    def _copy(self, descriptor: int, end: int) -> None:
        """Append the context's bytes up to *end* that are not copied yet."""
        while self._copied < end:
            block = self._file.read_at(min(_BLOCK_BYTES, end - self._copied), self._copied)
            if not block:
                raise StorageError(detail=SHORTER)
            written = os.write(descriptor, block)
            self._copied += written


def _finish(following: Path, summary: Path) -> None:
    compaction = as_compaction(following.read_bytes())
    channel = _field(following, "channel")
    content = summary_json(ChannelName(str(channel)), compaction)
    sync_path(following.parent)
    write_atomically(summary, msgspec.json.encode(content))
    following.unlink(missing_ok=True)


def _inode_in(following: Path) -> object:
    return _field(following, "contextInode")


def _field(path: Path, name: str) -> object:
    try:
        content = path.read_bytes()[:_MAX_NEXT_BYTES]
        return msgspec.json.decode(content, type=dict[str, object]).get(name)
    except (OSError, msgspec.MsgspecError, RecursionError):
        return None


def _inode_of(path: Path) -> int:
    with suppress(OSError):
        return path.lstat().st_ino
    return -1


def _free_archive(files: MessageFiles, channel: ChannelName, at: datetime) -> Path:
    number = 1
    while (path := Path(files.archive(channel, at, number))).exists():
        number += 1
    return path
