import asyncio
import json
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
import typer
from tests.support.command import exit_code
from tests.support.databases import with_database

from palabre.adapters.storage.sql.address import sqlite_address
from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.ledger import SqlLedger
from palabre.app.clock import SystemClock
from palabre.core.audit.model import Entry, EntryFilter


@pytest.fixture(autouse=True)
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PALABRE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("PALABRE_LANGUAGE", "en")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)
    return with_database(tmp_path / "data")


def log(data_dir: Path, age_days: int) -> Path:
    day = SystemClock().now().date() - timedelta(days=age_days)
    folder = data_dir / "chat-logs"
    folder.mkdir(exist_ok=True)
    path = folder / f"v2-{day.isoformat()}.jsonl"
    said = {"ts": f"{day}T10:00:00Z", "channel": "#general", "nick": "lea", "text": "mot"}
    path.write_text(json.dumps(said) + "\n")
    return path


run = partial(exit_code, "data", "sweep")


def book(data_dir: Path) -> list[Entry]:
    async def read() -> list[Entry]:
        database = await Database.open(sqlite_address(data_dir))
        found = await SqlLedger(database, SystemClock()).entries(EntryFilter(), 9)
        await database.aclose()
        return list(found)

    return asyncio.run(read())


def test_a_dry_run_tells_and_deletes_nothing(
    data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = log(data_dir, 31)
    assert run("--dry-run") == 0
    assert capsys.readouterr().out == "1 day(s) to delete, 1 message(s).\n"
    assert old.exists() and book(data_dir) == []


def test_old_logs_are_deleted_after_a_yes_and_it_is_in_the_book(
    data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, kept = log(data_dir, 8), log(data_dir, 7)
    assert run("--days", "7", "--yes", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"days": 1, "messages": 1, "deleted": True}
    assert (old.exists(), kept.exists()) == (False, True)
    (entry,) = book(data_dir)
    assert (entry.actor.name, entry.action) == ("cli", "retention.sweep")


def test_nothing_is_deleted_without_a_yes(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(question: str, **_: object) -> bool:
        assert "1 day(s), 1 message(s)" in question
        raise typer.Abort

    old = log(data_dir, 99)
    monkeypatch.setattr("typer.confirm", refuse)
    assert run() != 0
    assert old.exists() and capsys.readouterr().out == ""


def test_where_nothing_is_old_nobody_is_asked(
    data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log(data_dir, 0)
    assert run("--json") == 0
    assert json.loads(capsys.readouterr().out) == {"days": 0, "messages": 0, "deleted": False}


@pytest.mark.parametrize("days", ["0", "366", "x"])
def test_days_have_their_limits(days: str) -> None:
    assert run("--days", days) == 2
