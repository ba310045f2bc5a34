"""Editors make, edit, switch and restore personas."""

import json

import pytest
from tests.support.editorial import ANNE, Room, editorial_room

from palabre.core.auth.model import Account, Role
from palabre.core.editorial.errors import (
    InvalidPersonaNameError,
    PersonaNameTakenError,
    PersonaNotFoundError,
    PersonaOfFileError,
    ProposalNotFoundError,
)
from palabre.core.editorial.sources import SourceChange
from palabre.core.editorial.traits import Traits
from palabre.core.editorial.votes import Judgement
from palabre.kernel.ids import PersonaId
from palabre.testing.personas import a_persona


@pytest.fixture
def room() -> Room:
    return editorial_room()


async def create(room: Room, **draft: object) -> str:
    wanted = Traits(**draft)  # type: ignore[arg-type]
    return (await room.desk.create(ANNE, wanted, default_model="qwen3:8b")).id


async def notes(room: Room, persona_id: str) -> list[str]:
    return [each.message for each in await room.opinions.of(persona_id)]


async def test_a_new_persona_has_the_default_model_and_no_summary(room: Room) -> None:
    made = await room.desk.create(ANNE, Traits(name=" Ada "), default_model="m")
    assert (made.name, made.persona.model, made.persona.summary) == ("Ada", "m", "")
    assert made.id.startswith("persona_")
    assert made.enabled
    assert room.reloads == ["reloaded"]


async def test_names_that_are_taken_or_none_make_nothing(room: Room) -> None:
    for name, error in (("batty", PersonaNameTakenError), ("<b>", InvalidPersonaNameError)):
        with pytest.raises(error):
            await create(room, name=name)
        with pytest.raises(error):
            await room.desk.update(ANNE, "isa", Traits(name=name))
    assert len(await room.desk.personas()) == 2
    assert not room.ledger.book
    assert not room.reloads


async def test_ones_own_name_is_free_in_another_case(room: Room) -> None:
    assert (await room.desk.update(ANNE, "batty", Traits(name="BATTY"))).name == "BATTY"
    assert (await room.desk.update(ANNE, "batty", Traits(name="BATTY"))).name == "BATTY"


async def test_a_name_of_a_file_outside_our_alphabet_can_be_sent_back(room: Room) -> None:
    room.written.cast = type(room.written.cast)((a_persona("-_-"),))
    assert (await room.desk.update(ANNE, "-_-", Traits(name="-_-", summary="x"))).name == "-_-"


async def test_a_change_is_written_down_with_what_was_and_what_is(room: Room) -> None:
    await room.desk.update(ANNE, "batty", Traits(summary="a"))
    await room.desk.update(ANNE, "batty", Traits(summary=""))
    entry = room.ledger.book[-1]
    assert (entry.actor, entry.action, entry.target) == (ANNE, "persona.update", "batty")
    assert json.loads(entry.before) == {"summary": "a"}
    assert json.loads(entry.after) == {"summary": ""}


async def test_each_change_is_told_in_the_feedback_with_who_made_it(room: Room) -> None:
    persona_id = await create(room, name="Ada")
    await room.desk.update(ANNE, persona_id, Traits(model="m"))
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
    for draft in (Traits(summary="a"), Traits(summary="b"), Traits(name="Roy"), Traits(name="Roy")):
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
    await room.desk.update(ANNE, "batty", Traits(summary="a"))
    with pytest.raises(ProposalNotFoundError):
        await room.desk.revert(ANNE, "isa")


async def test_a_name_that_another_took_meanwhile_does_not_come_back(room: Room) -> None:
    ada = await create(room, name="Ada")
    await room.desk.update(ANNE, ada, Traits(name="Grace"))
    await create(room, name="Ada")
    with pytest.raises(PersonaNameTakenError):
        await room.desk.revert(ANNE, ada)


async def test_nobody_is_edited_who_is_not_there(room: Room) -> None:
    asking = [
        room.desk.persona("nobody"),
        room.desk.update(ANNE, "nobody", Traits(summary="x")),
        room.desk.toggle(ANNE, "nobody"),
        room.desk.revert(ANNE, "nobody"),
        room.sources.of("nobody"),
        room.sources.change(ANNE, "nobody", SourceChange(summary="x")),
    ]
    for each in asking:
        with pytest.raises(PersonaNotFoundError):
            await each
    assert not room.ledger.book


async def test_a_persona_whose_file_has_gone_can_still_be_edited(room: Room) -> None:
    await room.desk.update(ANNE, "batty", Traits(summary="a"))
    room.written.cast = type(room.written.cast)((a_persona("Isa"),))
    orphan = await room.desk.update(ANNE, "batty", Traits(summary="b"))
    assert (orphan.origin, orphan.persona.summary) == ("orphan", "b")


async def test_the_name_of_a_file_stays_its_own_while_it_is_called_otherwise(room: Room) -> None:
    await room.desk.update(ANNE, "batty", Traits(name="Roy"))
    with pytest.raises(PersonaNameTakenError):
        await create(room, name="Batty")
    with pytest.raises(PersonaNameTakenError):
        await room.desk.update(ANNE, "isa", Traits(name="batty"))
    assert (await room.desk.revert(ANNE, "batty")).name == "Batty"


async def test_no_persona_is_called_like_an_account(room: Room) -> None:
    await room.accounts.add(Account("Lea", Role.EDITOR, "", room.clock.now()))
    with pytest.raises(PersonaNameTakenError) as refused:
        await create(room, name="lea")
    assert refused.value.data["other"] == "Lea"
    with pytest.raises(PersonaNameTakenError):
        await room.desk.update(ANNE, "isa", Traits(name="LEA"))


async def test_who_takes_an_accounts_name_back_is_refused_but_not_who_has_it(room: Room) -> None:
    await room.desk.update(ANNE, "batty", Traits(name="Roy"))
    await room.accounts.add(Account("Batty", Role.EDITOR, "", room.clock.now()))
    await room.accounts.add(Account("Isa", Role.EDITOR, "", room.clock.now()))
    with pytest.raises(PersonaNameTakenError):
        await room.desk.revert(ANNE, "batty")
    assert (await room.desk.update(ANNE, "isa", Traits(summary="x"))).name == "Isa"
    assert (await room.desk.revert(ANNE, "isa")).name == "Isa"


async def test_what_an_editor_made_can_be_deleted_for_good(room: Room) -> None:
    ada = await create(room, name="Ada", summary="Calcule.")
    await room.sources.change(ANNE, ada, SourceChange(subject_name="Ada Lovelace"))
    await room.recordings.put(ANNE, ada, b"RIFF")
    await room.proposals.reinforce(ANNE, ada, summary="Compte.")
    await room.opinions.judge("anne", "Ada", Judgement("up", "a", "q", "1"))
    await room.opinions.judge("anne", "Ada", Judgement("down", "b", "q", "2"))
    revision, reloads = await room.stores.edits.revision(), len(room.reloads)
    await room.desk.delete(ANNE, ada)
    with pytest.raises(PersonaNotFoundError):
        await room.desk.persona(ada)
    assert [each.nick for each in (await room.library.load()).personas] == ["Batty", "Isa"]
    assert not room.voices.recordings
    assert room.forgotten == [f"{ada} Ada"]
    assert await room.stores.edits.source(PersonaId(ada)) is None
    assert await room.stores.proposals.latest(PersonaId(ada), 9) == []
    assert await room.stores.edits.revision() > revision
    assert len(room.reloads) > reloads
    entry = room.ledger.book[-1]
    assert (entry.action, entry.target, json.loads(entry.before)["name"]) == (
        "persona.delete",
        ada,
        "Ada",
    )
    assert [each.persona_id async for each in room.opinions.pairs()] == [ada]
    assert (await room.desk.persona(await create(room, name="Ada"))).name == "Ada"


async def test_what_comes_from_a_file_is_not_deleted(room: Room) -> None:
    await room.desk.update(ANNE, "batty", Traits(summary="a"))
    for persona_id, error in (("batty", PersonaOfFileError), ("nobody", PersonaNotFoundError)):
        with pytest.raises(error):
            await room.desk.delete(ANNE, persona_id)
    room.written.cast = type(room.written.cast)((a_persona("Isa"),))
    with pytest.raises(PersonaOfFileError):
        await room.desk.delete(ANNE, "batty")
