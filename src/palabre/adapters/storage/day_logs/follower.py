"""`LogSource` of the files of days: what is new in them goes into the database."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TypeVar

from palabre.adapters.storage.day_logs.day_file import DayFile, day_files, read_piece
from palabre.adapters.storage.errors import reason, storage_error
from palabre.adapters.storage.jsonl.layout import MessageFiles
from palabre.adapters.storage.sql.history.log_offsets import (
    EMPTYING,
    PAUSE_S,
    LogOffsets,
    Offset,
)
from palabre.kernel.errors import StorageError

LOOK_EVERY_S = 20.0
"""How often somebody looks when nobody asks."""

STILL_WRITTEN = 2
"""Logs that may grow at any time: that of today, and that of yesterday a little while."""

TELL_FROM_BYTES = 8 * 1024 * 1024
"""Unread logs of this size are worth a word in the program's log, and each tenth of them."""

Stamps = list[tuple[int, int]]
"""Size and time of some files."""

T = TypeVar("T")
_log = logging.getLogger(__name__)


class LogFollower:
    """Follows the logs below a data directory, the newest day first."""

    def __init__(self, data_dir: Path, offsets: LogOffsets) -> None:
        self._directory = Path(MessageFiles.below(data_dir).chat_logs)
        self._offsets = offsets
        self._read: dict[date, DayFile] = {}
        self._files: list[DayFile] = []
        self._looked: Stamps | None = None
        self._turn = asyncio.Lock()

    async def catch_up(self, within_s: float | None) -> bool:
        limit_s = None if within_s is None else asyncio.get_running_loop().time() + within_s
        try:
            async with asyncio.timeout_at(limit_s):
                await self._turn.acquire()
        except TimeoutError:
            return False
        try:
            return await self._glance(limit_s)
        except OSError as fault:
            raise storage_error(fault) from fault
        finally:
            self._turn.release()

    async def run(self) -> None:
        """Catch up again and again, for ever; a fault is logged and tried again."""
        while True:
            try:
                self._looked = None  # an old file may have been changed, too
                await self.catch_up(None)
            except StorageError:
                _log.exception("logs cannot be followed")
            await asyncio.sleep(LOOK_EVERY_S)

    async def days_before(self, first_kept: date) -> int:
        return len(await self._in_thread(_older, first_kept))

    async def delete_before(self, first_kept: date) -> None:
        await self._in_thread(_delete_before, first_kept)

    async def _in_thread(self, work: Callable[[Path, date], T], day: date) -> T:
        try:
            return await asyncio.to_thread(work, self._directory, day)
        except OSError as fault:
            raise storage_error(fault) from fault

    async def _glance(self, limit_s: float | None) -> bool:
        """Catch up if the newest logs, or which logs there are, have changed."""
        newest = [each.path for each in self._files[:STILL_WRITTEN]]
        looked = await asyncio.to_thread(_stamps, [self._directory, *newest])
        if looked == self._looked:
            return True
        is_complete = await self._look(limit_s)
        read = [(each.size_bytes, each.modified_ns) for each in self._files[:STILL_WRITTEN]]
        self._looked = [looked[0], *read] if is_complete else None
        return is_complete

    async def _look(self, limit_s: float | None) -> bool:
        """Catch up with all logs, the newest first, until *limit_s* of the loop's clock."""
        self._files = await asyncio.to_thread(day_files, self._directory)
        changed = [each for each in self._files if self._read.get(each.day) != each]
        known = await self._offsets.days()
        progress = _Progress.of(changed, known, limit_s)
        for file in changed:
            if await self._follow(file, known.get(file.day, Offset()), progress):
                self._read[file.day] = file
            elif progress.is_late:
                return False
        for day in known.keys() - {each.day for each in self._files}:
            self._read.pop(day, None)
            await self._offsets.begin_again(day, known[day], forget=True)
        return True

    async def _follow(self, file: DayFile, offset: Offset, progress: "_Progress") -> bool:
        """Read *file* to its end; return whether it could be read."""
        try:
            while True:
                before = offset
                offset = await self._step(file, before)
                if offset == before:
                    return True
                progress.add(offset.bytes - before.bytes)
                if progress.is_late:
                    return False
                await asyncio.sleep(PAUSE_S)
        except OSError as fault:
            _log.warning("the log of %s cannot be read: %s", file.day, reason(fault))
            return False

    async def _step(self, file: DayFile, offset: Offset) -> Offset:
        if offset.lines == EMPTYING:
            return await self._offsets.begin_again(file.day, offset)
        piece = await asyncio.to_thread(read_piece, file, offset.bytes, offset.print)
        if piece is None:
            _log.warning("the log of %s is not the one it was: it is read again", file.day)
            return await self._offsets.begin_again(file.day, offset)
        if piece.end == offset.bytes:
            return offset
        after = Offset(piece.end, offset.lines + len(piece.lines), piece.print)
        return await self._offsets.advance(file.day, offset, after, piece.lines)


@dataclass(slots=True)
class _Progress:
    """How much of what was unread has been read."""

    total_bytes: int
    done_bytes: int = 0
    told_tenths: int = 0
    limit_s: float | None = None

    @classmethod
    def of(
        cls, files: list[DayFile], known: dict[date, Offset], limit_s: float | None
    ) -> "_Progress":
        unread = (each.size_bytes - known.get(each.day, Offset()).bytes for each in files)
        return cls(sum(max(0, size) for size in unread), limit_s=limit_s)

    @property
    def is_late(self) -> bool:
        return self.limit_s is not None and asyncio.get_running_loop().time() > self.limit_s

    def add(self, size_bytes: int) -> None:
        self.done_bytes += max(0, size_bytes)
        if self.total_bytes < TELL_FROM_BYTES:
            return
        tenths = self.done_bytes * 10 // self.total_bytes
        if tenths > self.told_tenths:
            self.told_tenths = tenths
            _log.info("logs of what was said: %d%% read", tenths * 10)


def _stamps(paths: list[Path]) -> Stamps:
    """Return what changes when something at *paths* does."""
    found: Stamps = []
    for path in paths:
        try:
            status = path.lstat()
        except FileNotFoundError:
            found.append((-1, -1))
        else:
            found.append((status.st_size, status.st_mtime_ns))
    return found


def _older(directory: Path, first_kept: date) -> list[DayFile]:
    return [each for each in day_files(directory) if each.day < first_kept]


def _delete_before(directory: Path, first_kept: date) -> None:
    for file in _older(directory, first_kept):
        file.path.unlink(missing_ok=True)
