"""People say what they think of answers."""

import pytest
from tests.support.editorial import ANNE, Room, editorial_room

from palabre.core.editorial.errors import FeedbackNotFoundError, PersonaNotFoundError
from palabre.core.editorial.opinions import PIECE, called
from palabre.core.editorial.traits import Traits
from palabre.core.editorial.votes import Judgement


@pytest.fixture
def room() -> Room:
    return editorial_room()


async def pairs(room: Room, persona_id: str | None = None) -> list[tuple[str, str, str, str]]:
    return [
        (each.persona_id, each.prompt, each.chosen, each.rejected)
        async for each in room.opinions.pairs(persona_id)
    ]


async def test_whoever_thinks_otherwise_is_counted_once(room: Room) -> None:
    up, down = (Judgement(verdict, "a", "q", "reply_1") for verdict in ("up", "down"))
    ids = [(await room.opinions.judge("anne", "Batty", each)).id for each in (up, up, down)]
    assert len(set(ids)) == 1
    [kept] = await room.opinions.of("batty")
    assert (kept.leaning, kept.message) == (-1, down.message)


async def test_a_persona_is_found_by_id_name_and_nick_in_any_case(room: Room) -> None:
    made = await room.desk.create(ANNE, Traits(name="Marie Curie"), default_model="m")
    for name in (made.id, "marie curie", "@Marie_Curie"):
        saved = await room.opinions.judge("anne", name, Judgement("up", "a"))
        assert saved.persona_id == made.id
    with pytest.raises(PersonaNotFoundError):
        await room.opinions.judge("anne", "nobody", Judgement("up", "a"))


async def test_pairs_come_persona_by_persona(room: Room) -> None:
    for nick in ("Isa", "Batty"):
        await room.opinions.judge("anne", nick, Judgement("up", f"{nick} a", "q", f"{nick} 1"))
        await room.opinions.judge("anne", nick, Judgement("down", f"{nick} b", "q", f"{nick} 2"))
    expected = [("batty", "q", "Batty a", "Batty b"), ("isa", "q", "Isa a", "Isa b")]
    assert sorted(await pairs(room)) == expected
    assert await pairs(room, "isa") == expected[1:]


async def test_without_a_prompt_the_persona_stands_for_it(room: Room) -> None:
    await room.opinions.judge("anne", "Batty", Judgement("up", "a"))
    await room.opinions.judge("anne", "Batty", Judgement("down", "b"))
    assert await pairs(room) == [("batty", "Batty: Persona Batty", "a", "b")]


async def test_a_prompt_with_more_judgements_than_are_read_at_once_is_one_prompt(
    room: Room,
) -> None:
    for number in range(PIECE):
        await room.opinions.judge(f"v{number}", "Batty", Judgement("up", "a", "q", "1"))
    await room.opinions.judge("anne", "Batty", Judgement("down", "b", "q", "2"))
    await room.opinions.judge("anne", "Batty", Judgement("up", "c", "r", "3"))
    assert await pairs(room) == [("batty", "q", "a", "b")]


async def test_a_thumb_is_withdrawn_by_whoever_gave_it_and_a_pin_stays(room: Room) -> None:
    for verdict in ("down", "pin"):
        await room.opinions.judge("anne", "Batty", Judgement(verdict, "a", "q", "1"))
    thumb = Judgement("up", "", message_id="1")
    with pytest.raises(FeedbackNotFoundError):
        await room.opinions.withdraw("bob", "Batty", thumb)
    await room.opinions.withdraw("anne", "batty", thumb)
    with pytest.raises(FeedbackNotFoundError):
        await room.opinions.withdraw("anne", "Batty", thumb)
    [kept] = await room.opinions.of("batty")
    assert kept.leaning == 1


async def test_an_id_is_nobody_elses_name(room: Room) -> None:
    made = await room.desk.create(ANNE, Traits(name="Ada"), default_model="m")
    other = await room.desk.create(ANNE, Traits(name=made.id), default_model="m")
    personas = (other, *await room.desk.personas())
    assert called(made.id, personas).id == made.id
