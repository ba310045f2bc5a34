"""Editors who change one persona at once, in two processes on one database, lose nothing."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial

import pytest

from palabre.adapters.storage.sql.accounts import SqlAccountStore
from palabre.adapters.storage.sql.address import DatabaseAddress
from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.editorial_edits import SqlEditStore
from palabre.adapters.storage.sql.editorial_feedback import SqlFeedbackStore
from palabre.adapters.storage.sql.editorial_proposals import SqlProposalStore
from palabre.adapters.storage.sql.ledger import SqlLedger
from palabre.app.clock import SystemIds
from palabre.core.audit.model import Actor
from palabre.core.editorial.desk import EditorialDesk
from palabre.core.editorial.errors import ProposalAppliedError
from palabre.core.editorial.library import EditedLibrary
from palabre.core.editorial.model import Proposal, Wording
from palabre.core.editorial.ports import EditorialStores
from palabre.core.editorial.sources import SourceChange, Sources
from palabre.kernel.ids import PersonaId
from palabre.testing.clock import FrozenClock
from palabre.testing.editorial import MemoryVoiceShelf
from palabre.testing.personas import StaticPersonaLibrary, a_persona
from palabre.texts import say

ANNE = Actor("anne", "editor")
BATTY = PersonaId("batty")
BEFORE = Wording("Batty", "m", "Persona Batty")


async def nothing(*_: object) -> None:
    pass


class Process:
    """A desk as one process has it."""

    def __init__(self, database: Database) -> None:
        clock = FrozenClock()
        self.stores = EditorialStores(
            SqlEditStore(database), SqlFeedbackStore(database), SqlProposalStore(database)
        )
        library = EditedLibrary(
            StaticPersonaLibrary(a_persona("Batty")),
            self.stores.edits,
            in_house_words=partial(say, language="fr"),
            model="m",
        )
        ledger = SqlLedger(database, clock)
        self.sources = Sources(library, self.stores.edits, ledger)
        self.desk = EditorialDesk(
            library,
            self.stores,
            voices=MemoryVoiceShelf(),
            accounts=SqlAccountStore(database),
            ledger=ledger,
            clock=clock,
            ids=SystemIds(),
            reload=library.load,
            forget=nothing,
        )


@pytest.fixture
async def processes(address: DatabaseAddress) -> AsyncIterator[list[Process]]:
    databases = [await Database.open(address) for _ in range(2)]
    yield [Process(database) for database in databases]
    for database in databases:
        await database.aclose()


async def test_as_many_toggles_as_are_asked_for_are_made(processes: list[Process]) -> None:
    await asyncio.gather(*(each.desk.toggle(ANNE, "batty") for each in processes * 2))
    assert (await processes[0].desk.persona("batty")).enabled


async def test_what_two_say_of_one_source_is_kept_of_both(processes: list[Process]) -> None:
    said = [SourceChange(subject_name="Roy"), SourceChange(summary="Un réplicant.")] * 4
    asked = zip(processes * 4, said, strict=True)
    await asyncio.gather(*(each.sources.change(ANNE, "batty", change) for each, change in asked))
    source = await processes[0].sources.of("batty")
    assert (source.subject_name, source.summary) == ("Roy", "Un réplicant.")


async def test_a_proposal_is_applied_once_or_dismissed(processes: list[Process]) -> None:
    first, second = processes
    proposal = Proposal(
        *("proposal_1", BATTY, "pharmacius", BEFORE, Wording("Batty", "m", "Tu cries.")),
        applied=False,
        created_at=FrozenClock().now(),
    )
    await first.stores.proposals.add(proposal)
    done = await asyncio.gather(
        *(each.desk.apply(ANNE, "batty", "proposal_1") for each in processes),
        second.desk.dismiss(ANNE, "batty", "proposal_1"),
        return_exceptions=True,
    )
    succeeded = [each for each in done if not isinstance(each, BaseException)]
    assert len(succeeded) == 1, done
    if isinstance(done[2], BaseException):
        assert isinstance(done[2], ProposalAppliedError)
        assert await first.stores.edits.take_step(BATTY)
        assert await first.stores.edits.take_step(BATTY) is None
