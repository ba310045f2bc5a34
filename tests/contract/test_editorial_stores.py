"""What every store of the editorial desk does, whatever it keeps things in."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.support.databases import KINDS, address_of

from palabre.adapters.storage.sql.address import DatabaseAddress
from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.editorial_edits import SqlEditStore
from palabre.adapters.storage.sql.editorial_feedback import SqlFeedbackStore
from palabre.adapters.storage.sql.editorial_proposals import SqlProposalStore
from palabre.core.editorial.model import (
    Feedback,
    FeedbackKind,
    PersonaEdit,
    Proposal,
    Source,
    Wording,
)
from palabre.core.editorial.ports import EditStore, FeedbackStore, ProposalStore
from palabre.kernel.ids import PersonaId
from palabre.testing.editorial import (
    MemoryEditStore,
    MemoryFeedbackStore,
    MemoryProposalStore,
)

TEN = datetime(2026, 3, 20, 10, 0, 0, 123_000, tzinfo=UTC)
BATTY, ADA = PersonaId("batty"), PersonaId("persona_1")
FULL = PersonaEdit(
    persona_id=ADA,
    created=True,
    name="Ada « l'été »",
    model="qwen3:8b",
    summary="",
    enabled=False,
    prompt="Tu calcules.\nBeaucoup.",
    color="#112233",
    voice="fr_FR-siwis-medium",
    max_tokens=0,
    deleted=True,
    made_at=TEN,
)
BARE = PersonaEdit(persona_id=BATTY, made_at=TEN + timedelta(seconds=1))
PROPOSAL = Proposal(
    "proposal_1",
    BATTY,
    "reinforce_v2",
    Wording("Batty", "qwen3:8b", "a"),
    Wording("Batty", "qwen3:8b", "é"),
    applied=False,
    created_at=TEN,
)


@dataclass(frozen=True)
class Stores:
    edits: EditStore
    feedback: FeedbackStore
    proposals: ProposalStore


def of(database: Database) -> Stores:
    return Stores(SqlEditStore(database), SqlFeedbackStore(database), SqlProposalStore(database))


@pytest.fixture(params=["memory", *KINDS])
async def stores(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Stores]:
    if request.param == "memory":
        proposals = MemoryProposalStore()
        yield Stores(MemoryEditStore(), MemoryFeedbackStore(proposals), proposals)
        return
    database = await Database.open(address_of(request.param, request, tmp_path))
    yield of(database)
    await database.aclose()


def feedback(number: int, **changed: object) -> Feedback:
    plain = Feedback(
        f"feedback_{number}", BATTY, FeedbackKind.VOTE, "{}", TEN + timedelta(seconds=number)
    )
    return replace(plain, **changed)  # type: ignore[arg-type]


async def test_edits_come_back_as_they_were_those_made_first_first(stores: Stores) -> None:
    assert await stores.edits.edits() == []
    for edit in (BARE, FULL):
        await stores.edits.put_edit(edit)
    assert list(await stores.edits.edits()) == [FULL, BARE]


async def test_an_edit_takes_the_place_of_the_one_before_and_grows_the_revision(
    stores: Stores,
) -> None:
    assert await stores.edits.revision() == 0
    revisions = []
    for edit in (BARE, FULL, replace(BARE, summary="autre")):
        await stores.edits.put_edit(edit)
        revisions.append(await stores.edits.revision())
    assert revisions == sorted(set(revisions))
    assert list(await stores.edits.edits()) == [FULL, replace(BARE, summary="autre")]


async def test_steps_are_taken_back_newest_first_each_once(stores: Stores) -> None:
    await stores.edits.put_edit(BARE)
    await stores.edits.put_edit(FULL)
    await stores.edits.add_step(BARE)
    await stores.edits.add_step(replace(BARE, summary="a"), "proposal_1")
    await stores.edits.add_step(FULL)
    taken = [await stores.edits.take_step(BATTY) for _ in range(3)]
    assert [each and (each.before.summary, each.proposal_id) for each in taken] == [
        ("a", "proposal_1"),
        (None, ""),
        None,
    ]
    step = await stores.edits.take_step(ADA)
    assert step
    assert step.before == FULL


async def test_a_source_is_kept_with_its_references_in_order(stores: Stores) -> None:
    assert await stores.edits.source(BATTY) is None
    source = Source(BATTY, "Roy", "Un réplicant.", ("b", "a"))
    await stores.edits.put_source(source)
    assert await stores.edits.source(BATTY) == source
    await stores.edits.put_source(replace(source, references=()))
    assert await stores.edits.source(BATTY) == replace(source, references=())


async def test_feedback_is_listed_newest_first_up_to_a_number(stores: Stores) -> None:
    for number in (1, 3, 2):
        await stores.feedback.put(feedback(number))
    await stores.feedback.put(feedback(4, persona_id=ADA))
    assert list(await stores.feedback.latest(BATTY, 2)) == [feedback(3), feedback(2)]


async def test_what_is_said_anew_takes_the_place_of_what_was_said(stores: Stores) -> None:
    slot = "a" * 64
    first = feedback(1, slot=slot, leaning=1, prompt_key="k")
    assert await stores.feedback.put(first) == "feedback_1"
    again = feedback(2, slot=slot, leaning=-1, message="non", prompt_key="k")
    assert await stores.feedback.put(again) == "feedback_1"
    assert await stores.feedback.put(feedback(3)) == "feedback_3"
    assert await stores.feedback.put(feedback(4)) == "feedback_4"
    listed = await stores.feedback.latest(BATTY, 9)
    assert listed[-1] == replace(again, id="feedback_1")
    assert len(listed) == 3


async def test_judgements_are_read_page_by_page_prompt_after_prompt(stores: Stores) -> None:
    kept = [
        feedback(1, prompt_key="b"),
        feedback(2, prompt_key="a"),
        feedback(3, prompt_key="b"),
        feedback(4, prompt_key="a", persona_id=ADA),
        feedback(5),
    ]
    for each in kept:
        await stores.feedback.put(each)
    read: list[Feedback] = []
    while page := await stores.feedback.judgements(None, read[-1] if read else None, 1):
        read += page
    assert [each.id[-1] for each in read] == ["2", "1", "3", "4"]
    of_ada = await stores.feedback.judgements(ADA, None, 9)
    assert [each.id[-1] for each in of_ada] == ["4"]


async def test_complaints_are_counted_since_the_last_proposal(stores: Stores) -> None:
    for number in (-1, 1, 2):
        await stores.feedback.put(feedback(number, leaning=-1))
    await stores.feedback.put(feedback(3, leaning=1))
    await stores.feedback.put(feedback(4, persona_id=ADA, leaning=-1))
    assert dict(await stores.feedback.complaints()) == {BATTY: 3, ADA: 1}
    await stores.proposals.add(PROPOSAL)
    assert dict(await stores.feedback.complaints()) == {BATTY: 2, ADA: 1}


async def test_proposals_are_found_listed_marked_dismissed_and_forgotten(stores: Stores) -> None:
    later = replace(PROPOSAL, id="proposal_2", created_at=TEN + timedelta(seconds=1))
    for proposal in (later, PROPOSAL):
        await stores.proposals.add(proposal)
    assert list(await stores.proposals.latest(BATTY, 9)) == [later, PROPOSAL]
    await stores.proposals.mark("proposal_1", applied=True)
    await stores.proposals.mark("proposal_9", applied=True)
    assert await stores.proposals.find("proposal_1") == replace(PROPOSAL, applied=True)
    await stores.proposals.dismiss("proposal_1")
    await stores.proposals.dismiss("proposal_9")
    assert await stores.proposals.find("proposal_1") is None
    assert list(await stores.proposals.latest(BATTY, 9)) == [later]
    await stores.proposals.forget(BATTY)
    assert await stores.proposals.latest(BATTY, 9) == []


async def test_complaints_before_a_dismissed_proposal_stay_answered(stores: Stores) -> None:
    await stores.feedback.put(feedback(-1, leaning=-1))
    await stores.proposals.add(PROPOSAL)
    await stores.proposals.dismiss("proposal_1")
    assert not await stores.feedback.complaints()


async def test_what_has_a_slot_can_be_withdrawn_once(stores: Stores) -> None:
    slot = "a" * 64
    await stores.feedback.put(feedback(1, slot=slot))
    await stores.feedback.put(feedback(2))
    assert await stores.feedback.withdraw(slot)
    assert not await stores.feedback.withdraw(slot)
    assert list(await stores.feedback.latest(BATTY, 9)) == [feedback(2)]


async def test_what_is_forgotten_of_a_persona_is_all_but_its_edit(stores: Stores) -> None:
    await stores.edits.put_edit(FULL)
    await stores.edits.put_edit(BARE)
    for edit in (FULL, BARE):
        await stores.edits.add_step(edit)
        await stores.edits.put_source(Source(edit.persona_id, "x"))
    await stores.edits.forget(ADA)
    assert await stores.edits.take_step(ADA) is None
    assert await stores.edits.source(ADA) is None
    assert await stores.edits.source(BATTY)
    assert await stores.edits.take_step(BATTY)
    assert FULL in await stores.edits.edits()


async def test_all_is_there_when_the_database_is_opened_again(address: DatabaseAddress) -> None:
    database = await Database.open(address)
    await of(database).edits.put_edit(FULL)
    await of(database).feedback.put(feedback(1))
    await of(database).proposals.add(PROPOSAL)
    await database.aclose()
    again = await Database.open(address)
    assert list(await of(again).edits.edits()) == [FULL]
    assert list(await of(again).feedback.latest(BATTY, 9)) == [feedback(1)]
    assert await of(again).proposals.find("proposal_1") == PROPOSAL
    await again.aclose()


async def test_of_two_processes_that_vote_at_once_for_one_person_one_vote_is_kept(
    address: DatabaseAddress,
) -> None:
    databases = [await Database.open(address) for _ in range(2)]
    votes = [feedback(number, slot="a" * 64) for number in (1, 2)]
    putting = (of(each).feedback.put(vote) for each, vote in zip(databases, votes, strict=True))
    ids = set(await asyncio.gather(*putting))
    assert len(ids) == 1
    assert {each.id for each in await of(databases[0]).feedback.latest(BATTY, 9)} == ids
    for database in databases:
        await database.aclose()


async def test_who_reads_edits_to_change_them_is_waited_for(address: DatabaseAddress) -> None:
    first, second = [await Database.open(address) for _ in range(2)]
    await of(first).edits.put_edit(BARE)
    reading, go_on = asyncio.Event(), asyncio.Event()

    async def add(database: Database, words: str, *, waits: bool) -> None:
        async with database.writing():
            [edit] = await of(database).edits.edits(to_change=True)
            if waits:
                reading.set()
                await go_on.wait()
            await of(database).edits.put_edit(replace(edit, summary=f"{edit.summary}{words}"))

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(add(first, "a", waits=True))
        await reading.wait()
        other = tasks.create_task(add(second, "b", waits=False))
        await asyncio.wait({other}, timeout=0.2)
        assert not other.done()
        go_on.set()
    [kept] = await of(first).edits.edits()
    assert kept.summary == "Noneab"
    for database in (first, second):
        await database.aclose()
