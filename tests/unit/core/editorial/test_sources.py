"""Editors say what personas are made after."""

import pytest
from tests.support.editorial import ANNE, Room, editorial_room

from palabre.core.editorial.model import Source
from palabre.core.editorial.sources import SourceChange
from palabre.kernel.ids import PersonaId


@pytest.fixture
def room() -> Room:
    return editorial_room()


async def test_a_source_is_made_up_until_somebody_says_it(room: Room) -> None:
    assert (await room.sources.of("batty")).subject_name == "Batty"
    await room.sources.change(ANNE, "batty", SourceChange(summary="Un réplicant."))
    await room.sources.change(ANNE, "batty", SourceChange(references=("a", "b")))
    source = await room.sources.of("batty")
    assert (source.subject_name, source.summary, source.references) == (
        "Batty",
        "Un réplicant.",
        ("a", "b"),
    )
    assert [each.action for each in room.ledger.book] == ["persona.source"] * 2


def test_what_is_empty_is_said_and_what_is_none_is_not() -> None:
    said = Source(PersonaId("batty"), "Roy", "Un réplicant.", ("a",))
    assert SourceChange().of(said) == said
    assert SourceChange(summary="", references=()).of(said) == Source(PersonaId("batty"), "Roy")
