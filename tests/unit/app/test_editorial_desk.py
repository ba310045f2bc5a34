"""The editorial desk for whoever sits at the machine."""

from pathlib import Path

from palabre.app.editorial_desk import edited_cast, opened_desk
from palabre.app.settings import Settings
from palabre.core.audit.model import THE_MACHINE
from palabre.core.editorial.traits import Traits


async def test_what_is_edited_speaks_and_nothing_is_made_to_read(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)
    assert (await edited_cast(settings)).named("Batty")
    assert list(tmp_path.iterdir()) == []  # noqa: ASYNC240
    async with opened_desk(settings) as at:
        await at.desk.update(THE_MACHINE, "batty", Traits(name="Roy"))
    cast = await edited_cast(settings)
    assert [each.nick for each in cast.personas][1] == "Roy"
