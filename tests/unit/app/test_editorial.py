"""The editorial desk of an installation."""

from pathlib import Path

import pytest
from tests.support.rooms import serving

from palabre.app.parts import Parts
from palabre.app.settings import Settings
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
