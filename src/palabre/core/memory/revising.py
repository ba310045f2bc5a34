"""What a record becomes when a persona learns or forgets. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from palabre.core.memory.lessons import MAX_EXCHANGE_CHARS, origin_of
from palabre.core.memory.model import (
    ArchivedFact,
    ArchivedSummary,
    Exchange,
    Lesson,
    MemoryPolicy,
    Record,
)
from palabre.core.memory.wording import content, is_same_fact, key
from palabre.kernel.visible import one_line


def learnable(record: Record, exchanges: Sequence[Exchange], now: datetime) -> tuple[Exchange, ...]:
    """Return those of *exchanges* that may be learnt from: said since something was forgotten.

    What was said later than *now*, by a clock that was ahead, may be what was forgotten.
    """
    since = record.forgotten_at
    return tuple(each for each in exchanges if since is None or since < each.at <= now)


def learnt(
    record: Record,
    lesson: Lesson,
    exchanges: Sequence[Exchange],
    *,
    now: datetime,
    policy: MemoryPolicy,
    new_id: Callable[[], str],
) -> Record:
    """Return *record* with *lesson*, which was drawn from *exchanges*, taken in.

    A fact that is known already, in whatever words, keeps its words and becomes the newest. What
    has no room is the oldest; the archive keeps it longer.
    """
    facts, archive = list(record.facts), list(record.archive)
    for fact in lesson.facts:
        _take_in(facts, fact)
        _take_in_archive(archive, _with_origin(fact, exchanges, now, new_id))
    summaries = list(record.summaries)
    if lesson.summary and not (summaries and key(summaries[-1].text) == key(lesson.summary)):
        summaries.append(ArchivedSummary(lesson.summary, now))
    sources = [one_line(each.said, MAX_EXCHANGE_CHARS) for each in exchanges]
    return replace(
        record,
        facts=tuple(facts[-policy.working_facts :]),
        summary=lesson.summary or record.summary,
        sources=tuple(sources[-policy.source_messages :]),
        archive=tuple(archive[-policy.archive_facts :]),
        summaries=tuple(summaries[-policy.archive_summaries :]),
        updated_at=now,
    )


def without_fact(record: Record, number: int, now: datetime) -> Record:
    """Return *record* without the working fact *number*, counted from 1, wherever it stands.

    Raises:
        IndexError: There is no such fact.
    """
    if not 1 <= number <= len(record.facts):
        raise IndexError(number)
    gone = record.facts[number - 1]
    words = content(gone)
    return replace(
        record,
        facts=tuple(fact for fact in record.facts if not is_same_fact(fact, gone)),
        archive=tuple(fact for fact in record.archive if not is_same_fact(fact.text, gone)),
        sources=tuple(said for said in record.sources if not words & content(said)),
        updated_at=now,
        forgotten_at=now,
    )


def emptied(record: Record, now: datetime) -> Record:
    """Return *record* with nothing remembered."""
    return Record(record.persona, record.nick, updated_at=now, forgotten_at=now)


def _take_in(facts: list[str], fact: str) -> None:
    at = next((at for at, known in enumerate(facts) if is_same_fact(known, fact)), None)
    facts.append(fact if at is None else facts.pop(at))


def _take_in_archive(archive: list[ArchivedFact], fact: ArchivedFact) -> None:
    known = next((at for at, each in enumerate(archive) if is_same_fact(each.text, fact.text)), -1)
    if known < 0:
        archive.append(fact)
    else:
        archive.append(replace(archive.pop(known), last_seen_at=fact.last_seen_at))


def _with_origin(
    fact: str, exchanges: Sequence[Exchange], now: datetime, new_id: Callable[[], str]
) -> ArchivedFact:
    origin = origin_of(fact, exchanges)
    return ArchivedFact(
        fact,
        first_seen_at=now,
        last_seen_at=now,
        id=new_id(),
        author=origin.author,
        channel=origin.channel,
        message_at=origin.at,
    )
