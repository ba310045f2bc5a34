"""The chain of hashes shows what was changed."""

from dataclasses import replace
from datetime import UTC, datetime

from palabre.core.audit.chain import Reading, as_text, hash_of, next_entry
from palabre.core.audit.model import FIRST_HASH, Actor, Change, Entry, Verdict

AT = datetime(2026, 3, 20, 10, 0, 0, 123_456, tzinfo=UTC)
ANNE = Actor("anne", "admin", "::1")


def book(*targets: str) -> list[Entry]:
    entries: list[Entry] = []
    for target in targets:
        change = Change(ANNE, "persona.update", target, {"b": 1, "a": "é"}, {})
        entries.append(next_entry(change, AT, entries[-1] if entries else None))
    return entries


def test_a_state_is_written_the_same_whatever_its_order() -> None:
    assert as_text({"b": 1, "a": "é"}) == as_text({"a": "é", "b": 1}) == '{"a":"é","b":1}'


def test_an_entry_is_sealed_with_the_moment_that_the_database_can_keep() -> None:
    (entry,) = book("a")
    assert entry.at.microsecond == 123_000
    assert entry.hash == hash_of(entry)
    assert hash_of(replace(entry, hash="whatever")) == entry.hash


def test_every_part_of_an_entry_counts() -> None:
    (entry,) = book("a")
    changed = [
        replace(entry, number=2),
        replace(entry, at=datetime(2026, 3, 20, tzinfo=UTC)),
        replace(entry, actor=Actor("bob", "admin", "::1")),
        replace(entry, actor=Actor("anne", "viewer", "::1")),
        replace(entry, actor=Actor("anne", "admin", "")),
        replace(entry, action="x"),
        replace(entry, target="x"),
        replace(entry, before="{}"),
        replace(entry, after='{"a":1}'),
        replace(entry, previous_hash="1" * 64),
    ]
    hashes = {hash_of(each) for each in changed}
    assert len(hashes) == len(changed)
    assert entry.hash not in hashes


def test_texts_cannot_flow_from_one_field_into_the_next() -> None:
    (entry,) = book("a")
    glued = replace(entry, action="persona", target=".updatea")
    assert hash_of(glued) != entry.hash


def test_a_book_is_read_in_pieces() -> None:
    entries = book("a", "b", "c")
    reading = Reading()
    reading.read(entries[:1])
    reading.read(entries[1:])
    assert reading.verdict == Verdict(3, entries[-1].hash, None)


def test_the_first_break_is_told() -> None:
    a, b, c = book("a", "b", "c")
    for broken in ([a, c], [a, replace(b, target="x"), c], [a, replace(b, number=7), c]):
        reading = Reading()
        reading.read(broken)
        assert reading.verdict.broken_at == 2
    reading = Reading()
    reading.read([replace(a, previous_hash="f" * 64), b])
    assert reading.verdict.broken_at == 1


def test_an_empty_book_is_whole() -> None:
    assert Reading().verdict == Verdict(0, FIRST_HASH, None)
