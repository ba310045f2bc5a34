import asyncio
import json
from datetime import datetime
from functools import partial
from pathlib import Path

import pytest
from tests.support.command import exit_code
from tests.support.databases import with_database

from palabre.adapters.storage.sql.address import sqlite_address
from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.ledger import SqlLedger
from palabre.app.api_keys import opened_api_keys
from palabre.app.cli.console import shown_minute
from palabre.app.clock import SystemClock
from palabre.app.settings import Settings
from palabre.core.audit.model import EntryFilter
from palabre.core.auth.api_keys import ApiKey, Scope
from palabre.core.auth.key_errors import KeyRefusedError
from palabre.testing.clock import FrozenClock


@pytest.fixture(autouse=True)
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PALABRE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("PALABRE_LANGUAGE", "en")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)
    return with_database(tmp_path / "data")


run = partial(exit_code, "token")


def admitted(data_dir: Path, secret: str, scope: Scope) -> ApiKey:
    async def ask() -> ApiKey:
        async with opened_api_keys(Settings(data_dir=data_dir)) as keys:
            return await keys.admit(secret, scope)

    return asyncio.run(ask())


def actions(data_dir: Path) -> list[tuple[str, str]]:
    async def read() -> list[tuple[str, str]]:
        database = await Database.open(sqlite_address(data_dir))
        entries = await SqlLedger(database, FrozenClock()).entries(EntryFilter(), 10)
        await database.aclose()
        return [(each.actor.name, each.action) for each in reversed(entries)]

    return asyncio.run(read())


def test_a_key_is_printed_alone_and_opens_its_scopes(
    data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("create", "notebook", "--scope", "chat", "--scope", "mcp") == 0
    told = capsys.readouterr()
    secret = told.out.strip()
    assert secret.startswith("pal_")
    assert len(secret) == len("pal_") + 64
    assert "chat, mcp" in told.err
    assert secret not in told.err
    assert admitted(data_dir, secret, Scope.MCP).name == "notebook"


def test_a_revoked_key_is_refused_and_both_are_in_the_book(
    data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("create", "notebook", "--scope", "chat")
    secret = capsys.readouterr().out.strip()
    assert run("revoke", "Notebook", "--yes") == 0
    assert "opens nothing any more" in capsys.readouterr().out
    with pytest.raises(KeyRefusedError):
        admitted(data_dir, secret, Scope.CHAT)
    assert actions(data_dir) == [("cli", "api_key.create"), ("cli", "api_key.revoke")]


def test_programs_read_the_key_and_the_list_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    run("create", "ci", "--scope", "audio", "--expires-days", "30", "--json")
    made = json.loads(capsys.readouterr().out)
    secret = made.pop("key")
    run("list", "--json")
    printed = capsys.readouterr().out
    assert json.loads(printed) == [made]
    assert secret not in printed
    assert made["scopes"] == ["audio"]
    assert made["expiresAt"] > made["createdAt"]
    assert made["lastUsedAt"] is None


def test_the_list_is_for_people_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("list") == 0
    assert "There is no key" in capsys.readouterr().out
    run("create", "notebook", "--scope", "chat")
    capsys.readouterr()
    run("list")
    heading, row = capsys.readouterr().out.strip().splitlines()
    assert "last used" in heading
    assert "notebook" in row
    assert "never" in row


def test_a_narrow_terminal_shows_days_and_ids_whole(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    scopes = [part for each in Scope for part in ("--scope", each.value)]
    run("create", "a rather long name", *scopes, "--expires-days", "30", "--json")
    made = json.loads(capsys.readouterr().out)
    run("list")
    told = capsys.readouterr().out
    zone = SystemClock().zone
    for moment in (made["createdAt"], made["expiresAt"]):
        assert set(shown_minute(datetime.fromisoformat(moment), zone).split()) <= set(told.split())
    assert made["id"] in told
    assert max(len(line) for line in told.splitlines()) <= 80


def test_nothing_is_revoked_without_a_yes(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run("create", "notebook", "--scope", "chat")
    monkeypatch.setattr("sys.stdin", open("/dev/null"))  # noqa: SIM115, PTH123
    assert run("revoke", "notebook") != 0
    capsys.readouterr()
    run("list", "--json")
    assert len(json.loads(capsys.readouterr().out)) == 1


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("create", "x", "--scope", "everything"), "everything"),
        (("create", "x"), "--scope"),
        (("create", "", "--scope", "chat"), "1 to 60"),
        (("create", "x", "--scope", "chat", "--expires-days", "0"), "1 to 3650"),
        (("revoke", "nobody", "--yes"), "palabre token list"),
    ],
)
def test_a_mistake_is_told_with_what_to_do(
    arguments: tuple[str, ...], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*arguments) == 2
    assert told in capsys.readouterr().err
