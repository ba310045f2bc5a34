"""Proposals of how a persona could be."""

import json

import pytest
from tests.support.editorial import ANNE, Room, editorial_room

from palabre.core.editorial.errors import (
    DraftUnusableError,
    InvalidPersonaNameError,
    PersonaNameTakenError,
    ProposalAppliedError,
    ProposalNotFoundError,
)
from palabre.core.editorial.model import Wording
from palabre.core.editorial.traits import Traits
from palabre.kernel.errors import UpstreamError
from palabre.testing.models import Answer

DRAFTED = '<think>voyons</think>{"summary": "Tu parles peu."}'


@pytest.fixture
def room() -> Room:
    return editorial_room(DRAFTED)


async def test_what_is_given_is_proposed_and_nothing_changes(room: Room) -> None:
    proposal = await room.proposals.reinforce(ANNE, "batty", summary="Tu cries.")
    assert proposal.before == Wording("Batty", "qwen3:8b", "Persona Batty")
    assert proposal.after == Wording("Batty", "qwen3:8b", "Tu cries.")
    assert (proposal.reason, proposal.applied) == ("reinforce_v2", False)
    assert (await room.desk.persona("batty")).persona.summary == "Persona Batty"
    assert not room.provider.requests
    assert not room.reloads


async def test_without_words_the_personas_own_model_drafts_them(room: Room) -> None:
    proposal = await room.proposals.reinforce(ANNE, "batty")
    assert proposal.after.summary == "Tu parles peu."
    assert list(await room.proposals.of("batty")) == [proposal]


async def test_a_proposal_can_be_applied_at_once(room: Room) -> None:
    proposal = await room.proposals.reinforce(ANNE, "batty", name="Roy", apply=True)
    assert proposal.applied
    assert (await room.desk.persona("batty")).name == "Roy"
    assert [each.action for each in room.ledger.book] == ["persona.propose", "persona.apply"]
    assert json.loads(room.ledger.book[0].after)["name"] == "Roy"
    assert room.reloads == ["reloaded"]


async def test_a_proposal_is_applied_later_and_once(room: Room) -> None:
    proposal = await room.proposals.reinforce(ANNE, "batty", model="mistral:7b")
    applied = await room.proposals.apply(ANNE, "batty", proposal.id)
    assert applied.applied
    for again in (room.proposals.apply, room.desk.dismiss):
        with pytest.raises(ProposalAppliedError):
            await again(ANNE, "batty", proposal.id)


async def test_what_was_applied_is_taken_back_and_can_be_applied_again(room: Room) -> None:
    proposal = await room.proposals.reinforce(ANNE, "batty", summary="a", apply=True)
    second = await room.proposals.reinforce(ANNE, "batty", summary="b", apply=True)
    await room.desk.revert(ANNE, "batty")
    assert [each.applied for each in await room.proposals.of("batty")] == [
        {second.id: False, proposal.id: True}[each.id] for each in await room.proposals.of("batty")
    ]
    assert (await room.proposals.apply(ANNE, "batty", second.id)).applied


async def test_a_proposal_that_changes_nothing_is_a_step_all_the_same(room: Room) -> None:
    proposal = await room.proposals.reinforce(ANNE, "batty", name="Batty", apply=True)
    await room.desk.revert(ANNE, "batty")
    assert not (await room.proposals.of("batty"))[0].applied
    assert proposal.applied


async def test_a_dismissed_proposal_is_gone(room: Room) -> None:
    proposal = await room.proposals.reinforce(ANNE, "batty", summary="a")
    await room.desk.dismiss(ANNE, "batty", proposal.id)
    assert await room.proposals.of("batty") == []
    with pytest.raises(ProposalNotFoundError):
        await room.desk.dismiss(ANNE, "batty", proposal.id)
    assert room.ledger.book[-1].action == "persona.dismiss"


async def test_a_proposal_of_one_persona_is_not_applied_to_another(room: Room) -> None:
    proposal = await room.proposals.reinforce(ANNE, "batty", summary="a")
    with pytest.raises(ProposalNotFoundError):
        await room.proposals.apply(ANNE, "isa", proposal.id)


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (Answer(("",)), DraftUnusableError),
        (Answer(("{",)), DraftUnusableError),
        (Answer(("<think>tout",)), DraftUnusableError),
        (Answer((), error=UpstreamError(detail="500")), UpstreamError),
    ],
)
async def test_a_model_that_fails_makes_no_proposal(
    answer: Answer, error: type[UpstreamError]
) -> None:
    room = editorial_room(answer)
    with pytest.raises(error):
        await room.proposals.reinforce(ANNE, "batty")
    assert await room.proposals.of("batty") == []
    assert not room.ledger.book


async def test_a_name_that_cannot_be_given_is_not_proposed_or_not_applied(room: Room) -> None:
    with pytest.raises(InvalidPersonaNameError):
        await room.proposals.reinforce(ANNE, "batty", name="<b>")
    proposal = await room.proposals.reinforce(ANNE, "batty", name="Ada")
    await room.desk.create(ANNE, Traits(name="Ada"), default_model="m")
    with pytest.raises(PersonaNameTakenError):
        await room.proposals.apply(ANNE, "batty", proposal.id)
    assert not (await room.proposals.of("batty"))[0].applied


async def test_what_a_proposal_leaves_alone_stays_as_it_became_meanwhile(room: Room) -> None:
    proposal = await room.proposals.reinforce(ANNE, "batty", summary="Tu cries.")
    await room.desk.update(ANNE, "batty", Traits(name="Roy", model="mistral:7b"))
    await room.proposals.apply(ANNE, "batty", proposal.id)
    assert (await room.desk.persona("batty")).wording == Wording("Roy", "mistral:7b", "Tu cries.")
