"""`persona-memory/<nick>.json`: `{nick,facts,summary,lastUpdated}`, for earlier programs."""

from datetime import datetime

import msgspec

from palabre.adapters.storage.json_memories.record_file import in_utc
from palabre.core.memory.model import ArchivedFact, ArchivedSummary, Record
from palabre.kernel.clock import iso_utc
from palabre.kernel.ids import Nick, PersonaId


class _Legacy(msgspec.Struct, rename="camel"):
    nick: str | None = None
    facts: tuple[str, ...] = ()
    summary: str = ""
    last_updated: datetime | None = None


def read_legacy(content: bytes, persona: PersonaId, nick: Nick, modified: datetime) -> Record:
    """Return what the file *content*, last written at *modified*, says of *nick*.

    Raises:
        msgspec.MsgspecError, RecursionError: It makes no sense.
    """
    read = msgspec.json.decode(content, type=_Legacy)
    if read.nick is not None and read.nick.casefold() != nick.casefold():
        return Record(persona, nick)  # two nicks may share a file's name
    at = in_utc(read.last_updated) or modified
    summaries = (ArchivedSummary(read.summary, at),) if read.summary else ()
    archive = tuple(ArchivedFact(fact, at, at) for fact in read.facts)
    return Record(
        persona,
        nick,
        facts=read.facts,
        summary=read.summary,
        archive=archive,
        summaries=summaries,
        updated_at=at,
    )


def write_legacy(record: Record, compat_facts: int) -> bytes:
    """Return the file that says of *record* what earlier programs understand."""
    content = {
        "nick": record.nick,
        "facts": list(record.facts[-compat_facts:]),
        "summary": record.summary,
        "lastUpdated": iso_utc(record.updated_at) if record.updated_at else None,
    }
    return msgspec.json.format(msgspec.json.encode(content), indent=2) + b"\n"
