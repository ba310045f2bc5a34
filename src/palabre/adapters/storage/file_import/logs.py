"""Bring the logs of days in, line by line: of equal lines, those that the database lacks."""

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Iterator
from datetime import UTC, date
from hashlib import blake2b
from pathlib import Path

from sqlalchemy import Connection, select

from palabre.adapters.storage.day_logs.day_file import DayFile, day_files, read_piece
from palabre.adapters.storage.file_import.counts import Brought, Progress
from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.history.rows import end_id, first_id, kept_words
from palabre.adapters.storage.sql.history.writing import add_lines
from palabre.adapters.storage.sql.moments import to_ms
from palabre.adapters.storage.sql.schema.history import MESSAGES
from palabre.core.history.model import NewLine

PAGE = 1000
MAX_DAYS = 4
"""Days of which it is known what the database has; logs come in their order."""

Known = Counter[bytes]


async def import_logs(directory: Path, database: Database, progress: Progress) -> Brought:
    """Bring the logs in *directory* into *database*, the oldest day first.

    Raises:
        StorageError: The database fails; what was brought in by then stays.
    """
    brought = Brought()
    days = _KnownDays(database)
    files = list(reversed(await asyncio.to_thread(day_files, directory)))
    total, done = sum(each.size_bytes for each in files), 0
    for file in files:
        try:
            await _import_file(file, database, days, brought)
        except OSError:
            brought.unreadable.append(file.path.name)
        done += file.size_bytes
        progress(done, total)
    return brought


async def _import_file(
    file: DayFile, database: Database, days: "_KnownDays", brought: Brought
) -> None:
    position, known_print = 0, ""
    while piece := await asyncio.to_thread(read_piece, file, position, known_print):
        if piece.end == position:
            break
        position, known_print = piece.end, piece.print
        new = [line for _, line in piece.lines if await days.lacks(line)]
        brought.added += len(new)
        brought.known += len(piece.lines) - len(new)
        if new:
            async with database.writing() as connection:
                await add_lines(connection, new)


class _KnownDays:
    """What the database had of each day before something of it was brought in."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._days: OrderedDict[date, Known] = OrderedDict()

    async def lacks(self, line: NewLine) -> bool:
        """Say whether *line* is one more than the database had; it counts as seen then."""
        known = await self._of(line.at.astimezone(UTC).date())
        print_ = _print_of_line(line)
        if not known[print_]:
            return True
        known[print_] -= 1
        return False

    async def _of(self, day: date) -> Known:
        if day not in self._days:
            self._days[day] = await self._database.read(_known, day)
            if len(self._days) > MAX_DAYS:
                self._days.popitem(last=False)
        return self._days[day]


def _known(connection: Connection, day: date) -> Known:
    return Counter(_rows(connection, first_id(day), end_id(day)))


def _rows(connection: Connection, low: int, high: int) -> Iterator[bytes]:
    wanted = select(MESSAGES).where(MESSAGES.c.id < high).order_by(MESSAGES.c.id).limit(PAGE)
    while page := connection.execute(wanted.where(MESSAGES.c.id >= low)).all():
        for row in page:
            yield _print(row.at_ms, row.channel, row.nick, row.kind, row.text)
        low = page[-1].id + 1


def _print_of_line(line: NewLine) -> bytes:
    return _print(to_ms(line.at), *kept_words(line))


def _print(at_ms: int, *words: str) -> bytes:
    return blake2b("\0".join((str(at_ms), *words)).encode(), digest_size=16).digest()
