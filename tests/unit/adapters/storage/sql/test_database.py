import asyncio
import sqlite3
import stat
import sys
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine
from tests.support.revisions import make_database

from palabre.adapters.storage.sql.address import postgres_address, sqlite_address
from palabre.adapters.storage.sql.database import Database, thread_connection
from palabre.adapters.storage.sql.errors import (
    DatabaseAddressError,
    DatabaseAwayError,
    DatabaseFailedError,
    DatabaseTooNewError,
    DatabaseUnusableError,
    DriverMissingError,
)
from palabre.adapters.storage.sql.migrating import HEAD, MIGRATIONS
from palabre.adapters.storage.sql.schema import METADATA


async def test_a_new_database_is_its_owners_alone_and_up_to_date(tmp_path: Path) -> None:
    address = sqlite_address(tmp_path / "data")
    database = await Database.open(address)
    async with database.reading() as connection:
        version = await connection.execute(text("SELECT version_num FROM alembic_version"))
        assert version.scalar_one() == HEAD
        mode = await connection.execute(text("PRAGMA journal_mode"))
        assert mode.scalar_one() == "wal"
    await database.aclose()
    assert stat.S_IMODE((tmp_path / "data" / "palabre.db").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700


def test_the_newest_migration_is_the_one_that_is_expected() -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.set_main_option("path_separator", "os")
    assert ScriptDirectory.from_config(config).get_current_head() == HEAD


async def test_migrations_leave_the_tables_that_the_schema_says(tmp_path: Path) -> None:
    address = sqlite_address(tmp_path)
    await (await Database.open(address)).aclose()

    def ours(_thing: object, name: str | None, kind: str, *_: object) -> bool:
        return kind != "table" or not str(name).startswith(("chunk_words", "message_words"))

    with thread_connection(address, writes=False) as connection:
        options = {"include_object": ours}
        context = MigrationContext.configure(connection, opts=options)
        # SQLite calls every integer an integer, and forgets the names of foreign keys.
        differences = [each for each in compare_metadata(context, METADATA) if type(each) is tuple]
        found = [each for each in differences if each[0] not in {"add_fk", "remove_fk"}]
        assert found == []


async def test_of_several_embedders_the_one_that_has_done_most_is_kept(tmp_path: Path) -> None:
    """As the first version left them."""
    data = [
        "INSERT INTO embedders (id, ref, dimensions) VALUES (1, 'a/a', 2), (2, 'b/b', 3)",
        "INSERT INTO documents VALUES (1, 'd', 's', 't', '', '', 0, '[]', '', 0, 0, 0), "
        "(2, 'e', 's', 't', '1', '', 0, '[]', '', 0, 0, 0)",
        "INSERT INTO embeddings (embedder_id, document_id) VALUES (1, 'd'), (2, 'd'), (2, 'e')",
    ]
    make_database(sqlite_address(tmp_path), "0001", data)
    database = await Database.open(sqlite_address(tmp_path))
    async with database.reading() as reading:
        rows = await reading.execute(text("SELECT ref, wished FROM embedders"))
        assert rows.all() == [("b/b", "")]
    await database.aclose()


async def test_many_may_open_a_new_database_at_once(tmp_path: Path) -> None:
    opened = await asyncio.gather(*(Database.open(sqlite_address(tmp_path)) for _ in range(4)))
    for database in opened:
        await database.aclose()


async def test_a_database_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    await (await Database.open(sqlite_address(tmp_path))).aclose()
    with sqlite3.connect(tmp_path / "palabre.db") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    with pytest.raises(DatabaseTooNewError) as caught:
        await Database.open(sqlite_address(tmp_path))
    assert caught.value.data["path"] == str(tmp_path / "palabre.db")


async def test_what_is_no_database_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "palabre.db"
    file.write_text("not a database, but somebody's words\n" * 99)
    with pytest.raises(DatabaseUnusableError) as caught:
        await Database.open(sqlite_address(tmp_path))
    assert "not a database" in str(caught.value.data["detail"])
    assert file.read_text().startswith("not a database")


async def test_a_failure_tells_what_the_database_said_and_no_values(tmp_path: Path) -> None:
    database = await Database.open(sqlite_address(tmp_path))
    with pytest.raises(DatabaseFailedError) as caught:
        async with database.writing() as connection:
            await connection.execute(text("INSERT INTO nowhere VALUES (:secret)"), {"secret": "x1"})
    await database.aclose()
    assert caught.value.data == {"detail": "no such table: nowhere"}


async def test_a_change_that_fails_changes_nothing(tmp_path: Path) -> None:
    database = await Database.open(sqlite_address(tmp_path))
    change = text("UPDATE knowledge_version SET number = 99")
    with pytest.raises(DatabaseFailedError):
        async with database.writing() as connection:
            await connection.execute(change)
            await connection.execute(text("nonsense"))
    async with database.reading() as connection:
        number = await connection.execute(text("SELECT number FROM knowledge_version"))
        assert number.scalar_one() == 1
    await database.aclose()


async def test_writers_wait_for_each_other(tmp_path: Path) -> None:
    one, other = [await Database.open(sqlite_address(tmp_path)) for _ in range(2)]
    change = text("UPDATE knowledge_version SET number = number + 1")

    async def count(database: Database) -> None:
        for _ in range(10):
            async with database.writing() as connection:
                await connection.execute(change)

    await asyncio.gather(count(one), count(other))
    async with one.reading() as connection:
        number = await connection.execute(text("SELECT number FROM knowledge_version"))
        assert number.scalar_one() == 21
    await one.aclose()
    await other.aclose()


def test_a_postgres_address_is_shown_without_its_password() -> None:
    address = postgres_address("postgres://lea:secret@host/palabre")
    assert address.shown == "postgresql+psycopg://lea:***@host/palabre"
    assert not address.is_sqlite


@pytest.mark.parametrize("url", ["mysql://host/a", "nonsense", ""])
def test_other_addresses_are_refused(url: str) -> None:
    with pytest.raises(DatabaseAddressError):
        postgres_address(url)


async def test_a_postgres_that_is_not_there_is_away_and_its_address_is_told_the_log_alone(
    caplog: pytest.LogCaptureFixture,
) -> None:
    address = postgres_address("postgresql://u:secretive@127.0.0.1:1/nowhere")
    away = Database(address, create_async_engine(address.async_url))
    with pytest.raises(DatabaseAwayError) as caught:
        async with away.reading() as connection:
            await connection.execute(text("SELECT 1"))
    assert caught.value.data == {}
    assert "127.0.0.1" in caplog.text
    assert "secretive" not in caplog.text
    await away.aclose()


async def test_who_lacks_the_driver_of_postgres_is_told_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)  # Python: importing it fails
    with pytest.raises(DriverMissingError):
        await Database.open(postgres_address("postgresql://u@127.0.0.1:9/palabre"))
