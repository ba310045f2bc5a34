from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest

from palabre.core.memory.model import Exchange, Lesson, MemoryPolicy, Record
from palabre.core.memory.revising import emptied, learnable, learnt, without_fact
from palabre.kernel.ids import ChannelName, Nick, PersonaId

TEN = datetime(2026, 3, 25, 10, tzinfo=UTC)
EMPTY = Record(PersonaId("batty"), Nick("Batty"))


def exchange(said: str, second: int = 0, author: str = "lea") -> Exchange:
    at = TEN + timedelta(seconds=second)
    return Exchange(Nick(author), ChannelName("#general"), at, said, "Ah.")


def learn(record: Record, *facts: str, summary: str = "", minute: int = 0, **limits: int) -> Record:
    numbers = count(1)
    return learnt(
        record,
        Lesson(facts, summary),
        [exchange("J'aime la pluie", 1), exchange("Mon chat est noir", 2, "marc")],
        now=TEN + timedelta(minutes=minute),
        policy=MemoryPolicy(**limits),
        new_id=lambda: f"fact_{next(numbers)}",
    )


def test_a_fact_keeps_who_said_it_where_and_when() -> None:
    record = learn(EMPTY, "Le chat de Marc est noir", "Lea aime la pluie", summary="Pluie")
    cat, rain = record.archive
    assert (cat.author, cat.channel, cat.message_at) == (
        "marc",
        "#general",
        TEN + timedelta(seconds=2),
    )
    assert (rain.author, rain.id, rain.source) == ("lea", "fact_2", "chat")
    assert cat.first_seen_at == cat.last_seen_at == record.updated_at == TEN
    assert record.sources == ("J'aime la pluie", "Mon chat est noir")
    assert record.facts == ("Le chat de Marc est noir", "Lea aime la pluie")


def test_four_paraphrases_of_one_fact_are_one_fact_seen_again() -> None:
    record = learn(EMPTY, "Lea aime la pluie", "Lea vit à Brest")
    for minute, fact in enumerate(("lea AIME la pluie.", "Lea adore la pluie", "Lea, pluie"), 1):
        record = learn(record, fact, minute=minute)
    assert record.facts == ("Lea vit à Brest", "Lea aime la pluie")
    rain = record.archive[-1]
    assert rain.text == "Lea aime la pluie"
    assert (rain.first_seen_at, rain.last_seen_at) == (TEN, TEN + timedelta(minutes=3))
    assert len(record.archive) == 2


def test_the_oldest_facts_make_room_and_the_archive_keeps_more() -> None:
    record = EMPTY
    for word in ("pomme", "poire", "prune", "figue"):
        record = learn(record, f"aime la {word}", working_facts=2, archive_facts=3)
    assert record.facts == ("aime la prune", "aime la figue")
    assert [each.text[8:] for each in record.archive] == ["poire", "prune", "figue"]


def test_equal_summaries_in_a_row_are_kept_once() -> None:
    record = EMPTY
    for summary in ("La pluie", "la pluie !", "Le chat", "", "La pluie"):
        record = learn(record, summary=summary, archive_summaries=2)
    assert [each.text for each in record.summaries] == ["Le chat", "La pluie"]
    assert learn(record, summary="").summary == "La pluie"


def test_the_newest_messages_are_kept_as_sources() -> None:
    assert learn(EMPTY, source_messages=1).sources == ("Mon chat est noir",)


def test_a_forgotten_fact_is_nowhere_any_more_nor_learnt_from_what_was_said_before() -> None:
    record = learn(EMPTY, "Lea aime la pluie", "Marc a un chat noir")
    later = TEN + timedelta(hours=1)
    left = without_fact(record, 1, later)
    assert left.facts == ("Marc a un chat noir",)
    assert [each.text for each in left.archive] == ["Marc a un chat noir"]
    assert left.sources == ("Mon chat est noir",)
    assert left.updated_at == later
    said = [exchange("Pluie", 0), exchange("Neige", 3601), exchange("Vent", 3603)]
    assert learnable(left, said, later + timedelta(seconds=2)) == (said[1],)


@pytest.mark.parametrize("number", [-1, 0, 2])
def test_a_fact_that_is_not_there_cannot_be_forgotten(number: int) -> None:
    with pytest.raises(IndexError):
        without_fact(learn(EMPTY, "Lea aime la pluie"), number, TEN)


def test_all_can_be_forgotten() -> None:
    record = learn(EMPTY, "Lea aime la pluie", summary="Pluie")
    assert emptied(record, TEN) == replace(EMPTY, updated_at=TEN, forgotten_at=TEN)
    assert learnable(record, [exchange("a")], TEN) == (exchange("a"),)
