"""Bring in what personas remember, of those of whom the database knows nothing."""

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from palabre.adapters.storage.file_import.counts import Brought
from palabre.adapters.storage.file_names import safe_name
from palabre.adapters.storage.json_memories.legacy_file import read_legacy
from palabre.adapters.storage.json_memories.record_file import read_record, write_record
from palabre.adapters.storage.sql.memories import SqlMemoryStore
from palabre.kernel.ids import Nick, PersonaId

_NONSENSE = (msgspec.MsgspecError, RecursionError, UnicodeError, OSError)


@dataclass(frozen=True, slots=True)
class _Kept:
    """A record as its file has it, and those before it, the oldest first."""

    persona: PersonaId
    content: str
    history: tuple[str, ...] = ()


async def import_memories(
    data_dir: Path, store: SqlMemoryStore, nicks: Mapping[PersonaId, Nick]
) -> Brought:
    """Bring the memories below *data_dir* into *store*.

    Args:
        data_dir: Where `v2-local/` and `persona-memory/` are.
        store: Of the database.
        nicks: Of the personas, whose memory an earlier program may have kept by them.

    Raises:
        StorageError: The database fails.
    """
    brought = Brought()
    found = await asyncio.to_thread(lambda: list(_found(data_dir, nicks, brought.unreadable)))
    for each in found:
        is_new = await store.take_over(each.persona, each.content, each.history)
        brought.note(is_new=is_new)
    return brought


def _found(
    data_dir: Path, nicks: Mapping[PersonaId, Nick], unreadable: list[str]
) -> Iterator[_Kept]:
    current = data_dir / "v2-local" / "persona-memory"
    names = {safe_name(persona): persona for persona in nicks}
    files = {path.stem: path for path in sorted(current.glob("*.json"))}
    for stem, path in files.items():
        try:
            yield _of_file(path, names.get(stem, PersonaId(stem)))
        except _NONSENSE:
            unreadable.append(path.name)
    for persona, nick in nicks.items():
        path = data_dir / "persona-memory" / f"{safe_name(nick)}.json"
        if safe_name(persona) in files or not path.is_file():
            continue
        try:
            yield _of_legacy(path, persona, nick)
        except _NONSENSE:
            unreadable.append(path.name)


def _of_file(path: Path, persona: PersonaId) -> _Kept:
    content = path.read_bytes()
    read_record(content, persona, Nick(""))
    history = path.parent / "history" / path.stem
    before = (each for each in history.glob("*.json") if each.stem.isdecimal())
    oldest_first = sorted(before, key=lambda each: int(each.stem))
    return _Kept(persona, content.decode(), tuple(each.read_text("utf-8") for each in oldest_first))


def _of_legacy(path: Path, persona: PersonaId, nick: Nick) -> _Kept:
    modified = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    record = read_legacy(path.read_bytes(), persona, nick, modified)
    return _Kept(persona, write_record(record, len(record.facts), None).decode())
