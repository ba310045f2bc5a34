from dataclasses import replace
from datetime import timedelta

from palabre.adapters.storage.kxkm.memories import joined
from palabre.core.memory.model import ArchivedFact, ArchivedSummary, MemoryPolicy, Record
from palabre.kernel.ids import Nick, PersonaId
from palabre.testing.clock import FrozenClock

NOW = FrozenClock().now()
POLICY = MemoryPolicy(working_facts=2, archive_facts=3, archive_summaries=2)
NOBODY = Record(PersonaId("batty"), Nick("Batty"))


def record(*facts: str, summary: str = "") -> Record:
    archive = tuple(ArchivedFact(each, NOW, NOW) for each in facts)
    summaries = (ArchivedSummary(summary, NOW),) if summary else ()
    return replace(
        NOBODY,
        facts=facts,
        archive=archive,
        summary=summary,
        summaries=summaries,
        updated_at=NOW - timedelta(days=1),
    )


def archived(found: Record) -> list[str]:
    return [each.text for each in found.archive]


def test_who_knows_nothing_knows_it_all_as_far_as_there_is_room() -> None:
    become = joined(NOBODY, record("un", "deux", "trois", "quatre", summary="Des nombres"), POLICY)
    assert become.record.facts == ("trois", "quatre")
    assert archived(become.record) == ["deux", "trois", "quatre"]
    assert (become.record.summary, become.crowded_out) == ("Des nombres", 1)


def test_what_is_in_mind_here_stays_and_the_rest_goes_into_the_archive() -> None:
    ours = record("Ana joue du violoncelle", summary="Des sons")
    theirs = record("ana joue du VIOLONCELLE", "Bob pleut", summary="De la pluie")
    become = joined(ours, theirs, POLICY).record
    assert (become.facts, become.summary) == (ours.facts, "Des sons")
    assert archived(become) == ["Bob pleut", "Ana joue du violoncelle"]
    assert [each.text for each in become.summaries] == ["De la pluie", "Des sons"]
    assert become.updated_at == ours.updated_at


def test_a_second_time_changes_nothing() -> None:
    theirs = record("un", "deux", summary="Des nombres")
    once = joined(record("trois"), theirs, POLICY).record
    assert joined(once, theirs, POLICY).record is once


def test_what_finds_no_room_is_counted_the_oldest_first() -> None:
    become = joined(record("un", "deux"), record("trois", "quatre", "cinq"), POLICY)
    assert archived(become.record) == ["cinq", "un", "deux"]
    assert become.crowded_out == 2
    full = joined(become.record, record("six"), POLICY)
    assert (full.record is become.record, full.crowded_out) == (True, 1)
