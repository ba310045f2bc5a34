"""Kill a restore into Postgres between its files and its rows: what starts next finds one house."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from sqlalchemy import text
from tests.support.databases import address_of, with_database
from tests.support.postgres import postgres

__all__ = ["postgres"]


from palabre.adapters.storage.backup.data_files import MARK_NAME
from palabre.adapters.storage.backup.errors import RestoreCutError
from palabre.adapters.storage.backup.halfway import settle
from palabre.adapters.storage.backup.writing import Source, write_backup
from palabre.adapters.storage.data_dir import DataDirBusyError
from palabre.adapters.storage.sql.address import DatabaseAddress, sqlite_address
from palabre.adapters.storage.sql.database import thread_connection
from palabre.testing.clock import FrozenClock

pytestmark = pytest.mark.e2e

ADD = text(
    "INSERT INTO accounts (folded, username, role, password_hash, created_at_ms) "
    "VALUES (:name, :name, 'viewer', 'x', 1)"
)
SLOW_COMMIT = (
    "CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS "
    "'BEGIN PERFORM pg_sleep(4); RETURN NULL; END'",
    "CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON audit DEFERRABLE INITIALLY DEFERRED "
    "FOR EACH ROW EXECUTE FUNCTION wait()",
)
NO_COMMIT = text(
    "CREATE OR REPLACE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS "
    "'BEGIN RAISE EXCEPTION ''full''; END'"
)
COMMITTING = text(
    "SELECT count(*) FROM pg_stat_activity WHERE datname = :name AND wait_event = 'PgSleep'"
)
END_OTHERS = text(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "
    "AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
)


@dataclass
class House:
    """A data dir and a Postgres that is slow to commit, and a backup of another house."""

    data_dir: Path
    address: DatabaseAddress
    archive: Path

    def restore(self) -> "subprocess.Popen[str]":
        program = "from palabre.app.cli.main import main; main()"
        url = self.address.url.set(drivername="postgresql")
        given = {
            "PALABRE_DATA_DIR": str(self.data_dir),
            "DATABASE_URL": url.render_as_string(hide_password=False),
        }
        return subprocess.Popen(
            [sys.executable, "-c", program, "restore", str(self.archive), "--replace"],
            env=os.environ | given,
        )

    def cut(self) -> None:
        """Kill a restore whose files are in place, and whose rows are being committed."""
        process = self.restore()
        self.wait_for_commit()
        process.send_signal(signal.SIGKILL)
        process.wait(60)
        assert self.file == "new"

    def wait_for_commit(self) -> None:
        until_s, here = time.monotonic() + 30, {"name": self.address.url.database}
        elsewhere = replace(self.address, url=self.address.url.set(database="postgres"))
        with thread_connection(elsewhere, writes=False) as connection:
            while not connection.execute(COMMITTING, here).scalar():
                assert time.monotonic() < until_s
                connection.execute(text("SELECT pg_stat_clear_snapshot()"))
                time.sleep(0.01)

    def end_others(self) -> None:
        with thread_connection(self.address, writes=False) as connection:
            connection.execute(END_OTHERS)

    @property
    def file(self) -> str:
        return (self.data_dir / "topics.toml").read_text()

    @property
    def rows(self) -> list[str]:
        with thread_connection(self.address, writes=False) as connection:
            return list(connection.scalars(text("SELECT username FROM accounts")))


@pytest.fixture
def house(request: pytest.FixtureRequest, tmp_path: Path) -> House:
    source = Source(sqlite_address(with_database(tmp_path / "other")), tmp_path / "other")
    (tmp_path / "other" / "topics.toml").write_text("new")
    with thread_connection(source.address, writes=True) as connection:
        connection.execute(ADD, {"name": "new"})
    with (tmp_path / "b.zip").open("wb") as out:
        now = FrozenClock().now()
        write_backup(source, out, program="1", at=now, media=True, progress=lambda *_: None)
    address = address_of("postgres", request, tmp_path)
    with thread_connection(address, writes=True) as connection:
        connection.execute(ADD, {"name": "old"})
        for statement in SLOW_COMMIT:
            connection.execute(text(statement))
    (tmp_path / "home" / "data").mkdir(parents=True)
    (tmp_path / "home" / "data" / "topics.toml").write_text("old")
    return House(tmp_path / "home" / "data", address, tmp_path / "b.zip")


def test_rows_that_were_never_committed_take_the_files_back(house: House) -> None:
    house.cut()
    house.end_others()
    assert house.rows == ["old"]
    settle(house.address, house.data_dir)
    assert (house.file, house.rows) == ("old", ["old"])
    assert [each.name for each in house.data_dir.parent.iterdir()] == ["data"]
    assert not (house.data_dir / MARK_NAME).exists()


def test_rows_that_are_still_being_committed_are_waited_for(house: House) -> None:
    house.cut()
    settle(house.address, house.data_dir)
    assert (house.file, house.rows) == ("new", ["new"])
    assert not (house.data_dir / MARK_NAME).exists()


def test_whoever_comes_while_it_goes_on_is_told_so(house: House) -> None:
    process = house.restore()
    house.wait_for_commit()
    with pytest.raises(DataDirBusyError):
        settle(house.address, house.data_dir)
    assert process.wait(60) == 0
    assert (house.file, house.rows) == ("new", ["new"])
    settle(house.address, house.data_dir)
    assert (house.file, house.rows) == ("new", ["new"])


def test_rows_that_are_refused_at_the_very_end_take_the_files_back(house: House) -> None:
    with thread_connection(house.address, writes=True) as connection:
        connection.execute(NO_COMMIT)
    assert house.restore().wait(60) == 1
    assert (house.file, house.rows) == ("old", ["old"])
    assert [each.name for each in house.data_dir.parent.iterdir()] == ["data"]
    assert not (house.data_dir / MARK_NAME).exists()


def test_old_files_that_are_gone_are_demanded_until_it_is_restored_again(house: House) -> None:
    house.cut()
    house.end_others()
    (old,) = house.data_dir.parent.glob("data.restoring-*")
    old.rename(old.with_name("elsewhere"))
    with pytest.raises(RestoreCutError):
        settle(house.address, house.data_dir)
    again = house.restore()
    assert again.wait(60) == 0
    settle(house.address, house.data_dir)
    assert (house.file, house.rows) == ("new", ["new"])
