from pathlib import Path

from tests.support.databases import with_database

from palabre.app.audit import opened_ledger
from palabre.app.settings import Settings
from palabre.core.audit.model import THE_MACHINE, EntryFilter
from palabre.testing.clock import FrozenClock


async def test_the_book_is_that_of_the_installation(tmp_path: Path) -> None:
    settings = Settings(data_dir=with_database(tmp_path / "data"))
    async with (
        opened_ledger(settings, FrozenClock()) as ledger,
        ledger.recording(THE_MACHINE, "user.add", "lea"),
    ):
        pass
    async with opened_ledger(settings, FrozenClock()) as ledger:
        assert [each.target for each in await ledger.entries(EntryFilter(), 5)] == ["lea"]
