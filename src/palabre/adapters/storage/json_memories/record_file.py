"""`v2-local/persona-memory/<persona id>.json`: the record of seed 000 §11.

Ours besides its fields: `id`, `author`, `channel` and `messageAt` of an archived fact say where it
came from, `forgottenAt` until when nothing is learnt any more. Fields of other programs are kept.
"""

from collections.abc import Mapping
from datetime import UTC, datetime

import msgspec

from palabre.core.memory.model import ArchivedFact, ArchivedSummary, Record
from palabre.kernel.clock import iso_utc
from palabre.kernel.ids import Nick, PersonaId

VERSION = 2

Json = dict[str, object]


class _Fact(msgspec.Struct, rename="camel"):
    text: str
    first_seen_at: datetime | None = None
    last_seen_at: datetime | None = None
    source: str = "chat"
    id: str = ""
    author: str = ""
    channel: str = ""
    message_at: datetime | None = None


class _Summary(msgspec.Struct, rename="camel"):
    text: str
    created_at: datetime | None = None


class _Working(msgspec.Struct, rename="camel"):
    facts: tuple[str, ...] = ()
    summary: str = ""
    last_source_messages: tuple[str, ...] = ()


class _Archival(msgspec.Struct, rename="camel"):
    facts: tuple[_Fact, ...] = ()
    summaries: tuple[_Summary, ...] = ()


class _RecordFile(msgspec.Struct, rename="camel"):
    working_memory: _Working
    version: int = VERSION
    archival_memory: _Archival = msgspec.field(default_factory=_Archival)
    updated_at: datetime | None = None
    forgotten_at: datetime | None = None


def read_record(content: bytes, persona: PersonaId, nick: Nick) -> Record:
    """Return what the file *content* of *persona* holds.

    Raises:
        msgspec.MsgspecError, RecursionError: It makes no sense, or is of a later version.
    """
    read = msgspec.json.decode(content, type=_RecordFile)
    if read.version > VERSION:
        msg = f"version {read.version} is later than {VERSION}"
        raise msgspec.ValidationError(msg)
    working, archival = read.working_memory, read.archival_memory
    return Record(
        persona,
        nick,
        facts=working.facts,
        summary=working.summary,
        sources=working.last_source_messages,
        archive=tuple(_fact(each) for each in archival.facts),
        summaries=tuple(
            ArchivedSummary(each.text, in_utc(each.created_at)) for each in archival.summaries
        ),
        updated_at=in_utc(read.updated_at),
        forgotten_at=in_utc(read.forgotten_at),
    )


def write_record(record: Record, compat_facts: int, before: bytes | None) -> bytes:
    """Return the file of *record*; what only *before* has, which it replaces, is kept."""
    content = _as_json(record, compat_facts)
    if before is not None:
        _keep_foreign(content, msgspec.json.decode(before, type=Json))
    return msgspec.json.format(msgspec.json.encode(content), indent=2) + b"\n"


def in_utc(moment: datetime | None) -> datetime | None:
    """Return *moment* in UTC, which is what one without a zone means; None where it has none."""
    if moment is None:
        return None
    try:
        return moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC)
    except OverflowError:
        return None


def _fact(read: _Fact) -> ArchivedFact:
    return ArchivedFact(
        read.text,
        first_seen_at=in_utc(read.first_seen_at),
        last_seen_at=in_utc(read.last_seen_at),
        source=read.source,
        id=read.id,
        author=read.author,
        channel=read.channel,
        message_at=in_utc(read.message_at),
    )


def _as_json(record: Record, compat_facts: int) -> Json:
    updated = _iso(record.updated_at)
    forgotten = {"forgottenAt": _iso(record.forgotten_at)} if record.forgotten_at else {}
    return {
        "version": VERSION,
        "personaId": record.persona,
        "personaNick": record.nick,
        "updatedAt": updated,
        "workingMemory": {
            "facts": list(record.facts),
            "summary": record.summary,
            "lastSourceMessages": list(record.sources),
        },
        "archivalMemory": {
            "facts": [_fact_json(each) for each in record.archive],
            "summaries": [
                {"text": each.text, "createdAt": _iso(each.created_at)} for each in record.summaries
            ],
        },
        "compat": {
            "facts": list(record.facts[-compat_facts:]),
            "summary": record.summary,
            "lastUpdated": updated,
        },
        **forgotten,
    }


def _fact_json(fact: ArchivedFact) -> Json:
    ours: Json = {
        "id": fact.id,
        "author": fact.author,
        "channel": fact.channel,
        "messageAt": _iso(fact.message_at),
    }
    return {
        "text": fact.text,
        "firstSeenAt": _iso(fact.first_seen_at),
        "lastSeenAt": _iso(fact.last_seen_at),
        "source": fact.source,
        **{name: value for name, value in ours.items() if value},
    }


def _iso(moment: datetime | None) -> str | None:
    return iso_utc(moment) if moment else None


_OURS = frozenset({"forgottenAt"})


def _keep_foreign(new: Json, old: Mapping[str, object]) -> None:
    """Add to *new* what only *old* has, in objects and in lists of things with the same `text`."""
    for name, value in old.items():
        if name not in new and name not in _OURS:
            new[name] = value
        mine = new.get(name)
        if isinstance(mine, dict) and isinstance(value, dict):
            _keep_foreign(mine, value)
        elif isinstance(mine, list) and isinstance(value, list):
            _keep_foreign_items(mine, value)


def _keep_foreign_items(new: list[object], old: list[object]) -> None:
    known = {each["text"]: each for each in old if isinstance(each, dict) and "text" in each}
    for item in new:
        if isinstance(item, dict) and (before := known.get(item.get("text"))):
            _keep_foreign(item, before)
