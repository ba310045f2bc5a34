"""`MemoryStore` in the files that seed 000 names (§11), for several programs at once."""

import asyncio
import fcntl
import logging
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import msgspec

from palabre.adapters.storage.atomic import drop_drafts, sync_path, write_atomically
from palabre.adapters.storage.data_dir import DataDirUnusableError, make_private
from palabre.adapters.storage.errors import NotPlainFileError, reason, storage_error
from palabre.adapters.storage.file_names import safe_name
from palabre.adapters.storage.json_memories.history import History
from palabre.adapters.storage.json_memories.legacy_file import read_legacy, write_legacy
from palabre.adapters.storage.json_memories.record_file import read_record, write_record
from palabre.adapters.storage.jsonl.context_file import read_beginning
from palabre.core.memory.errors import MemoryUnusableError
from palabre.core.memory.model import Memory, Record
from palabre.core.memory.ports import Edit
from palabre.kernel.errors import PalabreError, StorageError
from palabre.kernel.ids import Nick, PersonaId

MAX_FILE_BYTES = 8 * 1024 * 1024
"""A longer file is none of ours: it is put aside like one that makes no sense."""

MAX_QUARANTINED = 1000

PATIENCE_S = 5.0
"""Time that others may take to write; one who stands still would keep us waiting for ever."""

READERS_PATIENCE_S = 0.2
LOOKS_APART_S = 0.02
_HELD = "another program holds the memories"
_NOT_PLAIN = "not a plain file"
_NONSENSE = (msgspec.MsgspecError, RecursionError, UnicodeError)

T = TypeVar("T")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Present:
    """A record and the file that holds it; None while only an earlier program's file does."""

    record: Record
    content: bytes | None


class JsonMemoryStore:
    """Keeps each persona's record, the copy for earlier programs, and the records before it.

    A file is replaced whole, so whoever reads it needs no lock; those who write take turns. A
    file that makes no sense is renamed, and never overwritten.
    """

    def __init__(
        self, data_dir: Path, *, compat_facts: int = 20, patience_s: float = PATIENCE_S
    ) -> None:
        """Use the files below *data_dir*; nothing is made there before something is kept.

        Args:
            data_dir: Where `v2-local/` and `persona-memory/` are.
            compat_facts: Facts that earlier programs are shown.
            patience_s: Time that others may take to write.
        """
        self._current = data_dir / "v2-local" / "persona-memory"
        self._legacy = data_dir / "persona-memory"
        self._compat_facts = compat_facts
        self._patience_s = patience_s
        self._writer = ThreadPoolExecutor(1, "memory")

    async def recall(self, persona: PersonaId, nick: Nick) -> Memory:
        try:
            return (await self.record(persona, nick)).memory
        except PalabreError as error:
            _log.warning("memory not readable: %s.json: %s", persona, error.data)
            return Memory()

    async def record(self, persona: PersonaId, nick: Nick) -> Record:
        return await _in_thread(None, lambda: self._record(persona, nick))

    async def revise(self, persona: PersonaId, nick: Nick, edit: Edit) -> Record:
        return await _in_thread(self._writer, lambda: self._revise(persona, nick, edit))

    async def undo(self, persona: PersonaId, nick: Nick) -> Record | None:
        return await _in_thread(self._writer, lambda: self._undo(persona, nick))

    async def drop_history(self, persona: PersonaId) -> None:
        await _in_thread(self._writer, lambda: self._drop_history(persona))

    def _record(self, persona: PersonaId, nick: Nick) -> Record:
        content = read_beginning(str(self._path(persona)), MAX_FILE_BYTES)
        if content is None and not self._legacy_path(nick).is_file():
            return Record(persona, nick)
        if content is not None:
            try:
                return read_record(content, persona, nick)
            except _NONSENSE:
                pass
        try:
            return self._mended(persona, nick)
        except (StorageError, DataDirUnusableError, OSError):
            if content is not None:
                raise
            return self._from_legacy(persona, nick)  # it is readable, and taken over later

    def _mended(self, persona: PersonaId, nick: Nick) -> Record:
        """Return the record once a file that makes no sense is aside, or an earlier one taken."""
        with self._alone(min(READERS_PATIENCE_S, self._patience_s)):
            present = self._load(persona, nick)
            if present.content is None and present.record.updated_at:
                self._write(persona, write_record(present.record, self._compat_facts, None))
                _log.info("memory of %s taken from %s", persona, self._legacy_path(nick).name)
            return present.record

    def _revise(self, persona: PersonaId, nick: Nick, edit: Edit) -> Record:
        with self._alone():
            present = self._load(persona, nick)
            record = edit(present.record)
            if record is present.record:
                return record
            before = present.content or write_record(present.record, self._compat_facts, None)
            self._history(persona).push(before)
            self._write(persona, write_record(record, self._compat_facts, before))
            self._write_mirror(record)
            return record

    def _undo(self, persona: PersonaId, nick: Nick) -> Record | None:
        with self._alone():
            present = self._load(persona, nick)
            before = self._history(persona).newest_but(present.content or b"")
            if before is None:
                return None
            record = read_record(before, persona, nick)
            self._write(persona, before)
            self._write_mirror(record)
            self._history(persona).newest_but(before)  # it is the present one now
            return record

    def _drop_history(self, persona: PersonaId) -> None:
        with self._alone():
            self._history(persona).drop()

    def _load(self, persona: PersonaId, nick: Nick) -> _Present:
        path = self._path(persona)
        content = read_beginning(str(path), MAX_FILE_BYTES)
        if content is not None:
            try:
                return _Present(read_record(content, persona, nick), content)
            except _NONSENSE as error:
                _put_aside(path, error)
        return _Present(self._from_legacy(persona, nick), None)

    def _from_legacy(self, persona: PersonaId, nick: Nick) -> Record:
        path = self._legacy_path(nick)
        content = read_beginning(str(path), MAX_FILE_BYTES)
        if content is None:
            return Record(persona, nick)
        modified = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        try:
            return read_legacy(content, persona, nick, modified)
        except _NONSENSE as error:
            _put_aside(path, error)
            return Record(persona, nick)

    def _write(self, persona: PersonaId, content: bytes) -> None:
        write_atomically(self._path(persona), content)

    def _write_mirror(self, record: Record) -> None:
        make_private(self._legacy)
        content = write_legacy(record, self._compat_facts)
        write_atomically(self._legacy_path(record.nick), content)

    @contextmanager
    def _alone(self, patience_s: float | None = None) -> Iterator[None]:
        make_private(self._current.parent)
        make_private(self._current)
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(self._current / ".lock", flags, 0o600)
        try:
            _lock(descriptor, self._patience_s if patience_s is None else patience_s)
            for directory in (self._current, self._legacy, *(self._current / "history").glob("*")):
                drop_drafts(directory)
            yield
        finally:
            os.close(descriptor)

    def _path(self, persona: PersonaId) -> Path:
        return self._current / f"{safe_name(persona)}.json"

    def _legacy_path(self, nick: Nick) -> Path:
        return self._legacy / f"{safe_name(nick)}.json"

    def _history(self, persona: PersonaId) -> History:
        return History(self._current / "history" / safe_name(persona))


def _lock(descriptor: int, patience_s: float) -> None:
    """Keep others out; raises `StorageError` when they do so for longer than *patience_s*."""
    until_s = time.monotonic() + patience_s
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= until_s:
                raise StorageError(detail=_HELD) from None
            time.sleep(LOOKS_APART_S)
        else:
            return


async def _in_thread(executor: ThreadPoolExecutor | None, work: Callable[[], T]) -> T:
    try:
        return await asyncio.get_running_loop().run_in_executor(executor, work)
    except OSError as fault:
        raise MemoryUnusableError(detail=reason(fault)) from fault
    except NotPlainFileError as fault:
        raise MemoryUnusableError(detail=_NOT_PLAIN) from fault
    except StorageError as fault:
        raise MemoryUnusableError(detail=str(fault.data.get("detail", ""))) from fault
    except DataDirUnusableError as fault:
        raise MemoryUnusableError(**fault.data) from fault


def _put_aside(path: Path, error: Exception) -> None:
    """Rename *path*, which makes no sense, to the first free name behind its own."""
    names = (path.with_name(f"{path.name}.unreadable-{n}") for n in range(1, MAX_QUARANTINED))
    free = next((name for name in names if not name.exists()), None)
    if free is None:
        raise StorageError(detail=f"too many unreadable files beside {path.name}")
    try:
        path.rename(free)
    except OSError as fault:
        raise storage_error(fault) from fault
    sync_path(path.parent)
    _log.error("memory %s makes no sense and is kept as %s: %s", path.name, free.name, error)
