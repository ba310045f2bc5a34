"""`MessageStore` in files of JSON lines: one a day for the log, one a channel for its context."""

import asyncio
import logging
import os
from collections import OrderedDict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from palabre.adapters.storage.data_dir import DataDirLock, make_private
from palabre.adapters.storage.errors import storage_error
from palabre.adapters.storage.jsonl import compaction
from palabre.adapters.storage.jsonl.append_log import Append, AppendLog
from palabre.adapters.storage.jsonl.archives import tidy
from palabre.adapters.storage.jsonl.channel_tail import Stretch, Want, read_stretch
from palabre.adapters.storage.jsonl.context_file import ContextFile, PRead, open_context
from palabre.adapters.storage.jsonl.disk_sync import SYNC_EVERY_S, DiskSync
from palabre.adapters.storage.jsonl.index_file import Count, count_context, save_count
from palabre.adapters.storage.jsonl.layout import MessageFiles
from palabre.adapters.storage.jsonl.old_lines import oldest, passage
from palabre.adapters.storage.jsonl.recent_channels import RecentChannels
from palabre.adapters.storage.jsonl.summary_file import read_compaction
from palabre.adapters.storage.jsonl.tallies import Tallies
from palabre.adapters.storage.jsonl.totals import Totals
from palabre.core.chat.errors import StoreClosedError
from palabre.core.chat.model import Backlog, ChannelStats, StoreTotals, Tidied, Utterance
from palabre.core.chat.summaries import newest_sentences
from palabre.core.chat.utterances import SUMMARY_NICK, newest_that_fit, summary_budget
from palabre.core.telemetry.ports import Telemetry
from palabre.kernel.errors import StorageError
from palabre.kernel.ids import ChannelName

T = TypeVar("T")
_log = logging.getLogger(__name__)

MAX_SIZES = 4096
"""Channels whose size is known; of more, those used last."""


class JsonlMessageStore:
    """Keeps what is said below a data directory, in the files that seed 000 names.

    An append that returned survives the end of the process, however it ends; a power cut costs
    at most the last `sync_every_s` seconds. Lines that make no sense are passed over, whoever
    wrote them. Belongs to the event loop in which it was opened.
    """

    def __init__(
        self,
        files: MessageFiles,
        lock: DataDirLock,
        telemetry: Telemetry,
        sync_every_s: float,
        pread: PRead,
    ) -> None:
        """Start the threads; use `open` instead."""
        self._files = files
        self._lock = lock
        self._telemetry = telemetry
        self._pread = pread
        self._loop = asyncio.get_running_loop()
        self._is_open = True
        self._totals = Totals(files.contexts)
        self._sync = DiskSync(lambda: telemetry.count("storage_sync_failed"), sync_every_s)
        self._appends = AppendLog(files, self._loop, self._settle, self._touch)
        self._sizes: OrderedDict[ChannelName, int] = OrderedDict()
        self._compacting = ThreadPoolExecutor(1, "palabre-compact")
        self._reading = ThreadPoolExecutor(2, "palabre-read")
        self._counting = ThreadPoolExecutor(1, "palabre-count")
        self._recent = RecentChannels(self._read)
        self._tallies = Tallies(self._count, self._save)

    @classmethod
    async def open(
        cls,
        data_dir: Path,
        telemetry: Telemetry,
        *,
        sync_every_s: float = SYNC_EVERY_S,
        pread: PRead = os.pread,
    ) -> "JsonlMessageStore":
        """Return the store of *data_dir*, which this process then has for itself.

        Raises:
            DataDirBusyError: Another process has it.
            DataDirUnusableError: It cannot be made or written.
        """
        files = MessageFiles.below(data_dir)
        lock = await asyncio.to_thread(_prepare, data_dir, files)
        return cls(files, lock, telemetry, sync_every_s, pread)

    async def append(self, utterance: Utterance) -> None:
        self._check_open()
        append = Append(utterance, self._loop.create_future())
        self._appends.put(append)
        await append.done

    async def latest(self, channel: ChannelName, count: int) -> list[Utterance]:
        self._check_open()
        if count <= 0:
            return []
        return (await self._recent.newest(channel, Want(messages=count)))[-count:]

    async def within(self, channel: ChannelName, budget_chars: int) -> list[Utterance]:
        self._check_open()
        if budget_chars < 0:
            return []
        # The newest first: a compaction in between repeats something, and leaves nothing out.
        found = await self._recent.newest(channel, Want(more_than_chars=budget_chars))
        before = await self._summary(channel, summary_budget(budget_chars))
        left = budget_chars - sum(len(each.text) for each in before)
        return [*before, *newest_that_fit(found, left)]

    async def stats(self, channel: ChannelName) -> ChannelStats:
        self._check_open()
        summary = self._files.summary(channel)
        compaction = await self._in(self._reading, lambda: read_compaction(summary))
        count = await self._tallies.of(channel)
        return ChannelStats(
            messages=count.messages,
            chars=count.chars,
            compacted_entries=compaction.entries,
            compactions=compaction.times,
            compacted_at=compaction.at,
        )

    async def totals(self) -> StoreTotals:
        self._check_open()
        try:
            return await asyncio.wrap_future(self._appends.ask(self._totals.get))
        except OSError as fault:
            raise storage_error(fault) from fault

    async def grown(self, size_bytes: int) -> list[ChannelName]:
        self._check_open()
        return [channel for channel, size in self._sizes.items() if size >= size_bytes]

    async def backlog(self, channel: ChannelName, share: float, min_entries: int) -> Backlog | None:
        return await self._compacting_in_thread(lambda: self._backlog(channel, share, min_entries))

    async def passage(
        self, backlog: Backlog, start: int, max_chars: int
    ) -> tuple[list[Utterance], int]:
        return await self._compacting_in_thread(lambda: self._passage(backlog, start, max_chars))

    async def compact(self, backlog: Backlog, summary: str, at: datetime) -> bool:
        return await self._compacting_in_thread(
            lambda: compaction.compact(
                self._files,
                backlog,
                summary,
                at,
                between_appends=lambda work: self._appends.ask(work).result(),
                swapped=self._swapped,
            )
        )

    async def tidy(self, max_bytes: int) -> Tidied:
        contexts, archives = Path(self._files.contexts), Path(self._files.archives)
        return await self._compacting_in_thread(lambda: tidy(contexts, archives, max_bytes))

    async def aclose(self) -> None:
        if self._is_open:
            self._is_open = False
            await asyncio.to_thread(self._finish)
            self._tallies.save_all()
            await asyncio.to_thread(self._release)

    def _check_open(self) -> None:
        if not self._is_open:
            raise StoreClosedError

    def _in(self, threads: ThreadPoolExecutor, work: Callable[[], T]) -> asyncio.Future[T]:
        self._check_open()
        return self._loop.run_in_executor(threads, work)

    def _settle(self, appends: list[Append]) -> None:
        for append in appends:
            if append.fault is None:
                self._recent.settled(append)
                self._tallies.settled(append)
                self._note_size(append.utterance.channel, append.end)
        for append in appends:
            if not append.done.done():
                _resolve(append)

    def _touch(self, path: str, before: int, after: int) -> None:
        self._sync.mark(path)
        self._totals.note(path, before, after)

    def _note_size(self, channel: ChannelName, size: int) -> None:
        self._sizes[channel] = size
        self._sizes.move_to_end(channel)
        if len(self._sizes) > MAX_SIZES:
            self._sizes.popitem(last=False)

    def _swapped(self, channel: ChannelName, path: str, before: int, after: int) -> None:
        """Take in, between two appends, that *path* has lost its oldest lines."""
        self._touch(path, before, after)
        with suppress(RuntimeError):  # the event loop is closed: nobody reads any more
            self._loop.call_soon_threadsafe(self._forget, channel, after)

    def _forget(self, channel: ChannelName, size: int) -> None:
        self._recent.forget(channel)
        self._tallies.forget(channel)
        self._note_size(channel, size)
        index = Path(self._files.index(channel))
        with suppress(RuntimeError):  # closed meanwhile: its inode tells the next process
            self._counting.submit(index.unlink, missing_ok=True)

    @contextmanager
    def _settled(self, path: str) -> Iterator[ContextFile | None]:
        """Open *path* at a moment when it ends with what is settled."""
        with ExitStack() as stack:
            opening = open_context(path, self._pread)
            yield self._appends.ask(lambda: stack.enter_context(opening)).result()

    async def _compacting_in_thread(self, work: Callable[[], T]) -> T:
        try:
            return await self._in(self._compacting, work)
        except OSError as fault:
            raise storage_error(fault) from fault

    def _backlog(self, channel: ChannelName, share: float, min_entries: int) -> Backlog | None:
        with self._settled(self._files.context(channel)) as file:
            found = oldest(file, share, min_entries) if file else None
            if file is None or found is None:
                return None
            before = read_compaction(self._files.summary(channel)).text
            return Backlog(channel, *found, compaction.token_of(file), before)

    def _passage(self, backlog: Backlog, start: int, max_chars: int) -> tuple[list[Utterance], int]:
        with open_context(self._files.context(backlog.channel), self._pread) as file:
            if file is None or not compaction.is_of(file, backlog):
                return [], backlog.end
            return passage(file, backlog.channel, start, backlog.end, max_chars)

    async def _summary(self, channel: ChannelName, max_chars: int) -> list[Utterance]:
        path = self._files.summary(channel)
        found = await self._in(self._reading, lambda: read_compaction(path))
        words = newest_sentences(found.text, max_chars)
        if not words or found.at is None:
            return []
        return [Utterance(found.at, channel, SUMMARY_NICK, words, "summary")]

    def _read(self, channel: ChannelName, want: Want) -> asyncio.Future[Stretch]:
        return self._in(self._reading, lambda: self._read_end(channel, want))

    def _read_end(self, channel: ChannelName, want: Want) -> Stretch:
        with self._settled(self._files.context(channel)) as file:
            if file is None:
                return Stretch(0, 0, ())
            return read_stretch(file.read_at, file.size, channel, want)

    def _count(self, channel: ChannelName) -> asyncio.Future[tuple[Count, int]]:
        return self._in(self._counting, lambda: self._count_now(channel))

    def _count_now(self, channel: ChannelName) -> tuple[Count, int]:
        with self._settled(self._files.context(channel)) as file:
            return count_context(file, self._files.index(channel)) if file else (Count(), 0)

    def _save(self, channel: ChannelName, count: Count) -> None:
        with suppress(RuntimeError):  # closed meanwhile: the next process counts again
            self._counting.submit(self._save_now, channel, count)

    def _save_now(self, channel: ChannelName, count: Count) -> None:
        try:
            save_count(self._files.context(channel), self._files.index(channel), count)
        except StorageError:
            self._telemetry.count("storage_index_failed")

    def _finish(self) -> None:
        self._compacting.shutdown(cancel_futures=True)
        self._reading.shutdown()
        self._appends.close()

    def _release(self) -> None:
        self._counting.shutdown()
        self._sync.close()
        self._lock.release()


def _prepare(data_dir: Path, files: MessageFiles) -> DataDirLock:
    lock = DataDirLock(data_dir)
    try:
        make_private(Path(files.chat_logs))
        make_private(Path(files.contexts))
        _recover(files)
    except BaseException:
        lock.release()
        raise
    return lock


def _resolve(append: Append) -> None:
    if append.fault is None:
        append.done.set_result(None)
    else:
        append.done.set_exception(storage_error(append.fault))


def _recover(files: MessageFiles) -> None:
    try:
        compaction.recover(files)
    except (OSError, StorageError):
        _log.exception("a compaction that was cut off cannot be ended")
