"""The personas as they speak, and held while one is changed."""

import pytest
from tests.support.editorial import ANNE, Room, editorial_room

from palabre.core.editorial.errors import PersonaNotFoundError
from palabre.core.editorial.library import persona_of
from palabre.core.editorial.model import PersonaEdit
from palabre.core.editorial.traits import Traits
from palabre.kernel.ids import PersonaId


@pytest.fixture
def room() -> Room:
    return editorial_room()


async def test_those_who_do_not_speak_are_counted_and_not_cast(room: Room) -> None:
    await room.desk.toggle(ANNE, "batty", enabled=False)
    cast = await room.library.load()
    assert [each.id for each in cast.personas] == ["isa"]
    assert room.library.total == 2


async def test_who_was_never_edited_is_held_with_an_edit_that_wants_nothing(room: Room) -> None:
    await room.desk.update(ANNE, "batty", Traits(summary="a"))
    held, now = await room.library.hold(room.written.cast), room.clock.now()
    assert [each.id for each in held.all] == ["batty", "isa"]
    assert held.edit_of(PersonaId("batty"), now).summary == "a"
    assert held.edit_of(PersonaId("isa"), now) == PersonaEdit(
        persona_id=PersonaId("isa"), made_at=now
    )


async def test_a_long_id_of_nobody_is_told_shortened(room: Room) -> None:
    with pytest.raises(PersonaNotFoundError) as refused:
        persona_of("x" * 1000, await room.desk.personas())
    assert refused.value.data["persona"] == "x" * 100
