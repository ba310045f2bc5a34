from pathlib import Path

from tests.support.databases import with_database

from palabre.adapters.storage.sql.address import sqlite_address
from palabre.adapters.storage.sql.database import Database
from palabre.app.history import build_history
from palabre.app.settings import Settings
from palabre.core.audit.model import THE_MACHINE
from palabre.testing.audit import MemoryLedger
from palabre.testing.clock import FrozenClock


async def test_logs_are_followed_only_where_files_are_the_truth(tmp_path: Path) -> None:
    database = await Database.open(sqlite_address(with_database(tmp_path)))
    clock = FrozenClock()
    in_files = Settings(data_dir=tmp_path)
    in_tables = Settings(data_dir=tmp_path, storage={"database_url": "postgresql://x/y"})
    for settings, is_followed in ((in_files, True), (in_tables, False)):
        built = build_history(settings, database, MemoryLedger(clock), clock)
        assert (built.follower is not None) == is_followed
        assert await built.history.days() == []
    await database.aclose()


async def test_a_sweep_deletes_the_logs_that_mirror_the_tables(tmp_path: Path) -> None:
    database = await Database.open(sqlite_address(with_database(tmp_path)))
    clock, logs = FrozenClock(), tmp_path / "chat-logs"
    logs.mkdir()
    old, today = logs / "v2-2020-01-01.jsonl", logs / f"v2-{clock.now().date()}.jsonl"
    for mirrors, left in ((False, [old, today]), (True, [today])):
        for file in (old, today):
            file.write_text("{}\n")
        storage = {"database_url": "postgresql://x/y", "mirror_files": mirrors}
        settings = Settings(data_dir=tmp_path, storage=storage)
        history = build_history(settings, database, MemoryLedger(clock), clock).history
        swept = await history.sweep(THE_MACHINE, 30)
        assert (swept.days, sorted(logs.iterdir())) == (int(mirrors), left)
    assert await history.days() == []
    await database.aclose()
