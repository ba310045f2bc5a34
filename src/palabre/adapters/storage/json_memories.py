"""Persona memories in the files that seed 000 names (§11)."""

import asyncio
import logging
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import msgspec

from palabre.adapters.storage.file_names import safe_name
from palabre.adapters.storage.jsonl.context_file import read_beginning
from palabre.core.memory.model import Memory
from palabre.kernel.errors import StorageError
from palabre.kernel.ids import Nick, PersonaId

MAX_FILE_BYTES = 1024 * 1024

R = TypeVar("R")
_log = logging.getLogger(__name__)


class _Working(msgspec.Struct, frozen=True):
    facts: tuple[str, ...] = ()
    summary: str = ""


class _Record(msgspec.Struct, frozen=True, rename="camel"):
    """`v2-local/persona-memory/<persona id>.json`, as far as we read it."""

    working_memory: _Working
    updated_at: datetime | None = None


class _Legacy(msgspec.Struct, frozen=True, rename="camel"):
    """`persona-memory/<nick>.json`, the form of earlier installations."""

    facts: tuple[str, ...] = ()
    summary: str = ""
    last_updated: datetime | None = None


class JsonMemoryStore:
    """`MemoryStore` that reads the files below a data directory; this version writes none."""

    def __init__(self, data_dir: Path) -> None:
        self._current = data_dir / "v2-local" / "persona-memory"
        self._legacy = data_dir / "persona-memory"

    async def recall(self, persona: PersonaId, nick: Nick) -> Memory:
        return await asyncio.to_thread(self._read, persona, nick)

    def _read(self, persona: PersonaId, nick: Nick) -> Memory:
        record = _load(self._current / f"{safe_name(persona)}.json", _Record)
        if record is not None:
            working = record.working_memory
            return Memory(working.facts, working.summary, _in_utc(record.updated_at))
        legacy = _load(self._legacy / f"{safe_name(nick)}.json", _Legacy)
        if legacy is not None:
            return Memory(legacy.facts, legacy.summary, _in_utc(legacy.last_updated))
        return Memory()


def _load(path: Path, kind: type[R]) -> R | None:
    try:
        content = read_beginning(str(path), MAX_FILE_BYTES)
        return None if content is None else msgspec.json.decode(content, type=kind)
    except (StorageError, msgspec.MsgspecError, RecursionError) as error:
        _log.warning("memory not readable: %s: %s", path.name, error)
        return None


def _in_utc(moment: datetime | None) -> datetime | None:
    """Return *moment* in UTC, which is what one without a zone means; None where it has none."""
    if moment is None:
        return None
    try:
        return moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC)
    except OverflowError:
        return None
