"""Editors make, edit, switch and restore personas."""

import json

import pytest
from tests.support.editorial import ANNE, Room, editorial_room

from palabre.core.editorial.desk import Draft
from palabre.core.editorial.errors import (
    InvalidPersonaNameError,
    PersonaNameTakenError,
    PersonaNotFoundError,
    ProposalNotFoundError,
)
from palabre.testing.personas import a_persona


@pytest.fixture
def room() -> Room:
    return editorial_room()


async def create(room: Room, **draft: object) -> str:
    wanted = Draft(**draft)  # type: ignore[arg-type]
    return (await room.desk.create(ANNE, wanted, default_model="qwen3:8b")).id


async def notes(room: Room, persona_id: str) -> list[str]:
    return [each.message for each in await room.opinions.of(persona_id)]


async def test_a_new_persona_has_the_default_model_and_no_summary(room: Room) -> None:
    made = await room.desk.create(ANNE, Draft(name=" Ada "), default_model="m")
    assert (made.name, made.persona.model, made.persona.summary) == ("Ada", "m", "")
    assert made.id.startswith("persona_")
    assert made.enabled
    assert room.reloads == ["reloaded"]


async def test_names_that_are_taken_or_none_make_nothing(room: Room) -> None:
    for name, error in (("batty", PersonaNameTakenError), ("<b>", InvalidPersonaNameError)):
        with pytest.raises(error):
            await create(room, name=name)
        with pytest.raises(error):
            await room.desk.update(ANNE, "isa", Draft(name=name))
    assert len(await room.desk.personas()) == 2
    assert not room.ledger.book
    assert not room.reloads


async def test_ones_own_name_is_free_in_another_case(room: Room) -> None:
    assert (await room.desk.update(ANNE, "batty", Draft(name="BATTY"))).name == "BATTY"
    assert (await room.desk.update(ANNE, "batty", Draft(name="BATTY"))).name == "BATTY"


async def test_a_name_of_a_file_outside_our_alphabet_can_be_sent_back(room: Room) -> None:
    room.written.cast = type(room.written.cast)((a_persona("-_-"),))
    assert (await room.desk.update(ANNE, "-_-", Draft(name="-_-", summary="x"))).name == "-_-"


async def test_a_change_is_written_down_with_what_was_and_what_is(room: Room) -> None:
    await room.desk.update(ANNE, "batty", Draft(summary="a"))
    await room.desk.update(ANNE, "batty", Draft(summary=""))
    entry = room.ledger.book[-1]
    assert (entry.actor, entry.action, entry.target) == (ANNE, "persona.update", "batty")
    assert json.loads(entry.before) == {"summary": "a"}
    assert json.loads(entry.after) == {"summary": ""}


async def test_each_change_is_told_in_the_feedback_with_who_made_it(room: Room) -> None:
    persona_id = await create(room, name="Ada")
    await room.desk.update(ANNE, persona_id, Draft(model="m"))
    await room.desk.toggle(ANNE, persona_id)
    await room.desk.toggle(ANNE, persona_id, enabled=True)
    assert sorted(await notes(room, persona_id)) == sorted(
        [
            "Persona créée par anne",
            "Persona modifiée par anne",
            "Persona désactivée par anne",
            "Persona activée par anne",
        ]
    )


async def test_a_toggle_turns_round_unless_told_which_way(room: Room) -> None:
    toggles = [None, None, False, False, True]
    states = [(await room.desk.toggle(ANNE, "batty", enabled=each)).enabled for each in toggles]
    assert states == [False, True, False, False, True]


async def test_changes_are_taken_back_one_by_one_to_the_beginning(room: Room) -> None:
    for draft in (Draft(summary="a"), Draft(summary="b"), Draft(name="Roy"), Draft(name="Roy")):
        await room.desk.update(ANNE, "batty", draft)
    await room.desk.toggle(ANNE, "batty")
    shown = [await room.desk.revert(ANNE, "batty") for _ in range(4)]
    assert [(each.name, each.persona.summary, each.enabled) for each in shown] == [
        ("Roy", "b", True),
        ("Batty", "b", True),
        ("Batty", "a", True),
        ("Batty", "Persona Batty", True),
    ]
    with pytest.raises(ProposalNotFoundError):
        await room.desk.revert(ANNE, "batty")


async def test_what_one_persona_did_is_not_taken_back_by_another(room: Room) -> None:
    await room.desk.update(ANNE, "batty", Draft(summary="a"))
    with pytest.raises(ProposalNotFoundError):
        await room.desk.revert(ANNE, "isa")


async def test_a_name_that_another_took_meanwhile_does_not_come_back(room: Room) -> None:
    ada = await create(room, name="Ada")
    await room.desk.update(ANNE, ada, Draft(name="Grace"))
    await create(room, name="Ada")
    with pytest.raises(PersonaNameTakenError):
        await room.desk.revert(ANNE, ada)


async def test_the_recording_follows_a_new_name(room: Room) -> None:
    await room.voices.put("Batty", b"RIFF")
    await room.desk.update(ANNE, "batty", Draft(name="Roy Batty"))
    assert await room.recordings.find("batty") == "voice-samples/roy_batty.wav"
    await room.desk.revert(ANNE, "batty")
    assert await room.recordings.find("batty") == "voice-samples/batty.wav"


async def test_a_source_is_made_up_until_somebody_says_it(room: Room) -> None:
    assert (await room.desk.source("batty")).subject_name == "Batty"
    await room.desk.set_source(ANNE, "batty", summary="Un réplicant.")
    await room.desk.set_source(ANNE, "batty", references=("a", "b"))
    source = await room.desk.source("batty")
    assert (source.subject_name, source.summary, source.references) == (
        "Batty",
        "Un réplicant.",
        ("a", "b"),
    )
    assert [each.action for each in room.ledger.book] == ["persona.source"] * 2


async def test_nobody_is_edited_who_is_not_there(room: Room) -> None:
    asking = [
        room.desk.persona("nobody"),
        room.desk.update(ANNE, "nobody", Draft(summary="x")),
        room.desk.toggle(ANNE, "nobody"),
        room.desk.revert(ANNE, "nobody"),
        room.desk.source("nobody"),
        room.desk.set_source(ANNE, "nobody", summary="x"),
    ]
    for each in asking:
        with pytest.raises(PersonaNotFoundError):
            await each
    assert not room.ledger.book


async def test_a_persona_whose_file_has_gone_can_still_be_edited(room: Room) -> None:
    await room.desk.update(ANNE, "batty", Draft(summary="a"))
    room.written.cast = type(room.written.cast)((a_persona("Isa"),))
    orphan = await room.desk.update(ANNE, "batty", Draft(summary="b"))
    assert (orphan.origin, orphan.persona.summary) == ("orphan", "b")
