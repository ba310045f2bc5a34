"""`MessageStore` in SQLite or Postgres."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Concatenate, ParamSpec, TypeVar

from sqlalchemy import Connection, func, select

from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.rooms import compaction, lines
from palabre.adapters.storage.sql.rooms.append_thread import Append, AppendThread, resolve
from palabre.adapters.storage.sql.rooms.said import said
from palabre.adapters.storage.sql.schema.rooms import CONTEXTS
from palabre.core.chat.errors import StoreClosedError
from palabre.core.chat.model import Backlog, ChannelStats, StoreTotals, Tidied, Utterance
from palabre.kernel.ids import ChannelName

MAX_WRITTEN = 4096
"""Channels of which it is known that something was said; of more, those used last."""

P = ParamSpec("P")
R = TypeVar("R")


class SqlMessageStore:
    """Keeps what is said in the database, whose owner closes that.

    An append that returned is committed. While the database is away appends fail at once, and
    go on as soon as it is back. Several processes may use one database; belongs to the event loop
    in which it was made.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._loop = asyncio.get_running_loop()
        self._is_open = True
        self._written: OrderedDict[ChannelName, None] = OrderedDict()
        self._appends = AppendThread(database.for_other_loop(), self._loop, self._settle)

    async def append(self, utterance: Utterance) -> None:
        self._check_open()
        append = Append(said(utterance), self._loop.create_future())
        self._appends.put(append)
        await append.done

    async def latest(self, channel: ChannelName, count: int) -> list[Utterance]:
        return await self._read(lines.latest, channel, count) if count > 0 else []

    async def within(self, channel: ChannelName, budget_chars: int) -> list[Utterance]:
        return await self._read(lines.within, channel, budget_chars) if budget_chars >= 0 else []

    async def stats(self, channel: ChannelName) -> ChannelStats:
        return await self._read(lines.stats, channel)

    async def totals(self) -> StoreTotals:
        return await self._read(_totals)

    async def grown(self, size_bytes: int) -> list[ChannelName]:
        found = await self._read(_grown, size_bytes)
        return [channel for channel in found if channel in self._written]

    async def backlog(self, channel: ChannelName, share: float, min_entries: int) -> Backlog | None:
        return await self._read(lines.backlog, channel, share, min_entries)

    async def passage(
        self, backlog: Backlog, start: int, max_chars: int
    ) -> tuple[list[Utterance], int]:
        return await self._read(lines.passage, backlog, start, max_chars)

    async def compact(self, backlog: Backlog, summary: str, at: datetime) -> bool:
        self._check_open()
        return await compaction.compact(self._database, backlog, summary, at)

    async def tidy(self, max_bytes: int) -> Tidied:
        self._check_open()
        return await compaction.tidy(self._database, max_bytes)

    async def aclose(self) -> None:
        if self._is_open:
            self._is_open = False
            await asyncio.to_thread(self._appends.close)

    async def _read(
        self, work: Callable[Concatenate[Connection, P], R], *args: P.args, **kwargs: P.kwargs
    ) -> R:
        self._check_open()
        return await self._database.read(work, *args, **kwargs)

    def _check_open(self) -> None:
        if not self._is_open:
            raise StoreClosedError

    def _settle(self, appends: Sequence[Append]) -> None:
        for append in appends:
            if append.fault is None:
                self._note(append.said.short.channel)
            resolve(append)

    def _note(self, channel: ChannelName) -> None:
        self._written[channel] = None
        self._written.move_to_end(channel)
        if len(self._written) > MAX_WRITTEN:
            self._written.popitem(last=False)


def _totals(connection: Connection) -> StoreTotals:
    counts = select(func.count(), func.sum(CONTEXTS.c.size_bytes)).where(CONTEXTS.c.messages > 0)
    channels, size_bytes = connection.execute(counts).one()
    return StoreTotals(channels, int(size_bytes or 0))


def _grown(connection: Connection, size_bytes: int) -> list[ChannelName]:
    grown = select(CONTEXTS.c.channel).where(CONTEXTS.c.size_bytes >= size_bytes)
    return [ChannelName(channel) for channel in connection.execute(grown).scalars()]
