"""What personas remembered there: one record a persona, or one for each of its users."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import msgspec

from palabre.adapters.storage.file_names import safe_name
from palabre.adapters.storage.json_memories.legacy_file import read_legacy
from palabre.adapters.storage.json_memories.record_file import read_record
from palabre.adapters.storage.kxkm.source import SourceFile
from palabre.core.memory.model import ArchivedSummary, MemoryPolicy, Record
from palabre.core.memory.wording import is_same_fact, key
from palabre.kernel.ids import Nick, PersonaId

MEMORY = re.compile(r"(v2-local/)?persona-memory/(?:([^/]+)/)?([^/]+)\.json")
ANYBODY = "_anonymous"

_NONSENSE = (msgspec.MsgspecError, RecursionError, UnicodeError, ValueError)


@dataclass(frozen=True, slots=True)
class Remembered:
    """One file.

    Attributes:
        is_copy: Whether it may only repeat what `v2-local` says.
    """

    place: str
    record: Record
    is_copy: bool


def read_memory(file: SourceFile, nicks: Mapping[PersonaId, Nick]) -> Remembered | None:
    """Return what *file* says; None if it makes no sense.

    Args:
        file: Its name fits `MEMORY`.
        nicks: Of the personas that are known here.

    Raises:
        OSError: It cannot be read.
    """
    match = MEMORY.fullmatch(file.name)
    assert match is not None
    is_new, folder, stem = match.groups()
    persona = _persona(folder or stem, nicks)
    nick = nicks.get(persona, Nick(folder or stem))
    record = _read(file, persona, nick)
    if record is None:
        return None
    user = stem if folder and stem != ANYBODY else ""
    authored = tuple(replace(e, author=e.author or user) for e in record.archive)
    return Remembered(file.name, replace(record, archive=authored), not (is_new or folder))


def _persona(stem: str, nicks: Mapping[PersonaId, Nick]) -> PersonaId:
    """Return the persona whose id, or else whose nick, makes a file's name like *stem*."""
    wanted = stem.casefold()
    by_nick = {safe_name(nick).casefold(): persona for persona, nick in nicks.items()}
    by_id = {safe_name(persona).casefold(): persona for persona in nicks}
    return (by_nick | by_id).get(wanted, PersonaId(stem))


def _read(file: SourceFile, persona: PersonaId, nick: Nick) -> Record | None:
    content = file.content()
    modified = datetime.fromtimestamp(file.path.stat().st_mtime, UTC)
    try:
        record = read_record(content, persona, nick)
        return replace(record, updated_at=record.updated_at or modified)
    except _NONSENSE:
        pass
    try:
        found = msgspec.json.decode(content, type=dict[str, object])
        found.pop("nick", None)  # of a user, where there is one file for each
        return read_legacy(msgspec.json.encode(found), persona, nick, modified)
    except _NONSENSE:
        return None


@dataclass(frozen=True, slots=True)
class Joined:
    """What becomes of a record here, and how many facts find no room."""

    record: Record
    crowded_out: int = 0


def joined(ours: Record, theirs: Record, policy: MemoryPolicy) -> Joined:
    """Return *ours* with what only *theirs* says in its archive; *ours* itself if there is nothing.

    What is in mind here stays; where nothing is known yet, *theirs* is.
    """
    if ours.updated_at is None:
        facts, archive = theirs.facts, theirs.archive
        kept = replace(
            theirs,
            persona=ours.persona,
            nick=ours.nick,
            facts=facts[-policy.working_facts :],
            archive=archive[-policy.archive_facts :],
            summaries=theirs.summaries[-policy.archive_summaries :],
        )
        return Joined(kept, max(0, len(archive) - policy.archive_facts))
    known = [*ours.facts, *(each.text for each in ours.archive)]
    new = [e for e in theirs.archive if not any(is_same_fact(e.text, k) for k in known)]
    summaries = _new_summaries(ours, theirs)
    room = max(0, policy.archive_facts - len(ours.archive))
    told = max(0, policy.archive_summaries - len(ours.summaries))
    added, before = new[max(0, len(new) - room) :], summaries[max(0, len(summaries) - told) :]
    if not added and not before:
        return Joined(ours, len(new))
    record = replace(ours, archive=(*added, *ours.archive), summaries=(*before, *ours.summaries))
    return Joined(record, len(new) - len(added))


def _new_summaries(ours: Record, theirs: Record) -> list[ArchivedSummary]:
    known = {key(each.text) for each in ours.summaries} | {key(ours.summary)}
    return [each for each in theirs.summaries if key(each.text) not in known]
