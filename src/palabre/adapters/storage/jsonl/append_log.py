"""The thread that writes what is said, many utterances at a time."""

import asyncio
import logging
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from queue import SimpleQueue
from threading import Lock, Thread
from typing import TypeVar

from palabre.adapters.storage.jsonl.layout import MessageFiles
from palabre.adapters.storage.jsonl.line_format import write_lines
from palabre.adapters.storage.jsonl.open_files import OpenFiles
from palabre.core.chat.model import Utterance
from palabre.kernel.errors import StorageError

OPEN_FILES = 128
MAX_BATCH = 1024

T = TypeVar("T")
_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Append:
    """One utterance on its way to its two files; all or nothing of it is kept.

    Attributes:
        utterance: As it was said; once written, as the context keeps it.
        done: Resolved by whoever gets it back.
        start: Offset of the line in the context file, once written.
        end: Offset behind it.
        fault: Why it was not kept; None if it was.
    """

    utterance: Utterance
    done: asyncio.Future[None]
    start: int = -1
    end: int = -1
    fault: Exception | None = None


@dataclass(frozen=True, slots=True)
class _Entry:
    """An append and what is written for it."""

    append: Append
    context_path: str
    context_line: bytes
    log_path: str
    log_line: bytes


class AppendLog:
    """Writes appends in the order of their coming, and hands each batch back to the event loop.

    What it says is kept lies with the kernel: it survives the end of this process, not a power
    cut (`DiskSync` sees to that).
    """

    def __init__(
        self,
        files: MessageFiles,
        loop: asyncio.AbstractEventLoop,
        settle: Callable[[list[Append]], None],
        touch: Callable[[str, int, int], None],
        *,
        open_files: int = OPEN_FILES,
    ) -> None:
        """Start the thread.

        Args:
            files: Where the two files of an utterance are.
            loop: Where `settle` is called.
            settle: Called in *loop* with each batch, kept or not.
            touch: Called in the thread with each file's path and its size before and after.
            open_files: How many files are kept open.
        """
        self._paths = files
        self._loop = loop
        self._settle = settle
        self._touch = touch
        self._files = OpenFiles(open_files)
        self._queue: SimpleQueue[Append | Callable[[], None] | None] = SimpleQueue()
        self._closing = Lock()
        self._is_closed = False
        self._thread = Thread(target=self._run, name="palabre-append", daemon=True)
        self._thread.start()

    def put(self, append: Append) -> None:
        """Have *append* written; it comes back through `settle`."""
        self._queue.put(append)

    def ask(self, question: Callable[[], T]) -> Future[T]:
        """Have *question* answered in the thread, after every append put so far was written."""
        answer: Future[T] = Future()
        with self._closing:
            if not self._is_closed:
                self._queue.put(lambda: _answer(question, answer))
                return answer
        self._thread.join()
        _answer(question, answer)
        return answer

    def close(self) -> None:
        """Write what is left and end the thread; waits for it."""
        with self._closing:
            self._is_closed = True
            self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        running = True
        while running:
            batch = self._take()
            running = None not in batch
            self._keep([item for item in batch if isinstance(item, Append)])
            for item in batch:
                if callable(item):
                    item()
        self._files.close()

    def _take(self) -> list[Append | Callable[[], None] | None]:
        batch = [self._queue.get()]
        while len(batch) < MAX_BATCH and not self._queue.empty():
            batch.append(self._queue.get())
        return batch

    def _keep(self, appends: list[Append]) -> None:
        if not appends:
            return
        # One day at a time: what a full disk refuses is then the end of each file concerned.
        for log_path, day in groupby(self._entries(appends), key=attrgetter("log_path")):
            self._keep_day(log_path, list(day))
        with suppress(RuntimeError):  # the event loop is closed: nobody waits any more
            self._loop.call_soon_threadsafe(self._settle, appends)

    def _entries(self, appends: list[Append]) -> Iterator[_Entry]:
        for append in appends:
            try:
                lines = write_lines(append.utterance)
            except (ValueError, OverflowError) as fault:
                _log.exception("not to be written as a line")
                append.fault = fault
                continue
            append.utterance = lines.kept
            context_path = self._paths.context(lines.kept.channel)
            log_path = self._paths.chat_log(lines.kept.at)
            yield _Entry(append, context_path, lines.context, log_path, lines.log)

    def _keep_day(self, log_path: str, day: list[_Entry]) -> None:
        try:
            for context_path, channel in _by_context(day):
                self._write_context(context_path, channel)
            self._write_log(log_path, [entry for entry in day if not entry.append.fault])
        except Exception as fault:  # noqa: BLE001 - outermost loop of the thread
            _log.exception("appends failed")
            _fail(day, fault)

    def _write_context(self, path: str, channel: list[_Entry]) -> None:
        try:
            file = self._files.get(path)
        except (OSError, StorageError) as fault:
            _fail(channel, fault)
            return
        offset = before = file.size
        count, refusal = file.append([entry.context_line for entry in channel])
        for entry in channel[:count]:
            entry.append.start = offset
            offset += len(entry.context_line)
            entry.append.end = offset
        if refusal:
            _fail(channel[count:], refusal)
        self._touch(path, before, file.size)

    def _write_log(self, path: str, day: list[_Entry]) -> None:
        if not day:
            return
        try:
            file = self._files.get(path)
        except (OSError, StorageError) as fault:
            self._roll_back(day, fault)
            return
        before = file.size
        count, refusal = file.append([entry.log_line for entry in day])
        if refusal:
            self._roll_back(day[count:], refusal)
        self._touch(path, before, file.size)

    def _roll_back(self, day: list[_Entry], fault: Exception) -> None:
        _fail(day, fault)
        for path, channel in _by_context(day):
            with suppress(OSError, StorageError):  # what cannot be opened cannot be cut
                file = self._files.get(path)
                before = file.size
                file.cut(channel[0].append.start)
                self._touch(path, before, file.size)


def _answer(question: Callable[[], T], answer: Future[T]) -> None:
    if not answer.set_running_or_notify_cancel():
        return
    try:
        answer.set_result(question())
    except Exception as fault:  # noqa: BLE001 - it is the asker's, and ends not the thread
        answer.set_exception(fault)


def _fail(entries: Iterable[_Entry], fault: Exception) -> None:
    for entry in entries:
        entry.append.fault = fault


def _by_context(entries: list[_Entry]) -> Iterable[tuple[str, list[_Entry]]]:
    channels: dict[str, list[_Entry]] = {}
    for entry in entries:
        channels.setdefault(entry.context_path, []).append(entry)
    return channels.items()
