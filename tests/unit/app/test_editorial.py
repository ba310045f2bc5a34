"""The editorial desk of an installation."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.rooms import serving

from palabre.app.editorial import forgetting
from palabre.app.parts import Parts
from palabre.app.settings import Settings
from palabre.core.memory.model import Memory
from palabre.kernel.ids import Nick, PersonaId
from palabre.testing.clock import FrozenClock
from palabre.testing.memories import StaticMemoryStore
from palabre.testing.messages import MemoryMessageStore
from palabre.testing.personas import StaticPersonaLibrary, a_persona


@pytest.mark.parametrize(("suggest", "count"), [(True, 2), (False, 1)])
async def test_proposals_come_by_themselves_only_where_that_is_wanted(
    tmp_path: Path, suggest: bool, count: int
) -> None:
    settings = Settings(server={"port": 0}, data_dir=tmp_path, editorial={"suggest": suggest})
    parts = Parts(
        store=MemoryMessageStore(),
        memories=StaticMemoryStore(),
        library=StaticPersonaLibrary(a_persona("Batty")),
    )
    async with serving(settings, parts) as (app, _):
        works = list(app.editorial.works())
        assert len(works) == count
        for work in works:
            work.close()
        assert [each.name for each in await app.editorial.desk.personas()] == ["Batty"]


async def test_who_is_deleted_remembers_nothing_not_even_what_was_before() -> None:
    memories, clock = StaticMemoryStore(Ada=Memory(("Lea aime le jazz",))), FrozenClock()
    persona, nick = PersonaId("persona_1"), Nick("Ada")
    await memories.revise(persona, nick, lambda record: replace(record, summary="x"))
    await forgetting(memories, clock)(persona, nick)
    record = await memories.record(persona, nick)
    assert (record.facts, record.summary, record.forgotten_at) == ((), "", clock.now())
    assert await memories.undo(persona, nick) is None
