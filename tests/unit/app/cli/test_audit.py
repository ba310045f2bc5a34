import asyncio
import json
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import text
from tests.support.command import exit_code
from tests.support.databases import with_database

from palabre.adapters.storage.sql.address import sqlite_address
from palabre.adapters.storage.sql.database import Database
from palabre.app.audit import opened_ledger
from palabre.app.cli.console import shown_minute
from palabre.app.clock import SystemClock
from palabre.app.settings import Settings
from palabre.core.audit.inspection import inspect
from palabre.core.audit.model import Actor
from palabre.testing.clock import FrozenClock

LEA = Actor("lea", "editor", "192.0.2.7")
DOCS = Path(__file__).parents[4] / "docs"


@pytest.fixture(autouse=True)
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PALABRE_DATA_DIR", str(with_database(tmp_path / "data")))
    monkeypatch.setenv("PALABRE_LANGUAGE", "en")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "data"


@pytest.fixture
def hashes(data_dir: Path) -> list[str]:
    """Three changes that Lea has made; their hashes."""
    return asyncio.run(written(data_dir, "batty", "pina", "été \u2028 \U0001f41d"))


async def written(data_dir: Path, *targets: str) -> list[str]:
    settings = Settings(data_dir=data_dir)
    found = []
    async with opened_ledger(settings, FrozenClock()) as ledger:
        for target in targets:
            async with ledger.recording(LEA, "persona.update", target) as change:
                change.before, change.after = {"a": None}, {"summary": target, "n": 1.5}
            found.append((await inspect(ledger)).verdict.last_hash)
    return found


run = partial(exit_code, "audit")


def changed(data_dir: Path, statement: str) -> None:
    async def change() -> None:
        database = await Database.open(sqlite_address(data_dir))
        async with database.writing() as connection:
            await connection.execute(text(statement))
        await database.aclose()

    asyncio.run(change())


def test_changes_are_printed_newest_first(
    hashes: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("list", "--limit", "2") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split()[0] == "3"
    assert "lea (editor)" in lines[1]
    assert "192.0.2.7" in lines[1]
    assert lines[-1] == "Older ones: add --before 2."


def test_a_narrow_terminal_shows_the_minute_and_the_whole_target(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    target = "une_personne_au_nom_fort_long_vraiment_1"
    asyncio.run(written(data_dir, target))
    assert run("list") == 0
    heading, *lines = capsys.readouterr().out.splitlines()
    start = heading.index("to what")
    assert "".join(line[start:].strip() for line in lines) == target
    assert shown_minute(FrozenClock().now(), SystemClock().zone) in lines[0]


def test_an_empty_book_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("list") == 0
    assert "Nothing was changed yet" in capsys.readouterr().out


def test_programs_get_pages_with_what_was_before_and_after(
    hashes: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("list", "--target", "pina", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["next"] is None
    (entry,) = told["entries"]
    assert (entry["number"], entry["hash"]) == (2, hashes[1])
    assert entry["after"] == {"summary": "pina", "n": 1.5}
    assert run("list", "--before", "3", "--limit", "1", "--json") == 0
    assert json.loads(capsys.readouterr().out)["next"] == 2


def test_a_whole_book_is_told_with_its_last_hash(
    hashes: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("verify") == 0
    told = capsys.readouterr().out
    assert hashes[-1] in told
    assert "that was given" not in told
    assert run("verify", "--expect-hash", hashes[0]) == 0
    assert f"The change with the hash that was given is in it: {hashes[0]}" in (
        capsys.readouterr().out
    )
    assert run("verify", "--json") == 0
    assert json.loads(capsys.readouterr().out)["hasExpectedHash"] is None
    assert run("verify", "--expect-hash", hashes[0].upper(), "--json") == 0
    assert json.loads(capsys.readouterr().out) == {
        "whole": True,
        "entries": 3,
        "lastHash": hashes[-1],
        "brokenAt": None,
        "hasExpectedHash": True,
    }


def test_a_changed_book_names_its_first_broken_number(
    data_dir: Path, hashes: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    changed(data_dir, "UPDATE audit SET actor = 'bob' WHERE number >= 2")
    assert run("verify") == 1
    assert "Change 2 is absent or was changed" in capsys.readouterr().out
    assert run("verify", "--json") == 1
    assert json.loads(capsys.readouterr().out)["brokenAt"] == 2


def test_a_tail_that_was_cut_off_is_seen_by_who_kept_its_hash(
    data_dir: Path, hashes: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    changed(data_dir, "DELETE FROM audit WHERE number = 3")
    assert run("verify") == 0
    assert run("verify", "--expect-hash", hashes[-1]) == 1
    assert "was cut off or written anew" in capsys.readouterr().out


def test_what_is_no_hash_is_refused() -> None:
    assert run("verify", "--expect-hash", "abc") == 2


def test_the_book_is_written_to_a_new_file_and_never_over_another(
    hashes: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("export", "book.jsonl", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"path": "book.jsonl", "entries": 3}
    lines = (tmp_path / "book.jsonl").read_bytes().split(b"\n")
    assert [json.loads(line)["number"] for line in lines if line] == [1, 2, 3]
    assert (tmp_path / "book.jsonl").stat().st_mode & 0o777 == 0o600
    (tmp_path / "mine.txt").write_text("mine")
    assert run("export", "mine.txt") == 2
    assert (tmp_path / "mine.txt").read_text() == "mine"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["book.jsonl", "data", "mine.txt"]


def snippet(page: str) -> str:
    """The program in *page* that computes hashes again."""
    return (DOCS / page).read_text().split("```python\n")[1].split("```")[0]


@pytest.mark.parametrize("page", ["audit.md", "fr/audit.md"])
def test_the_documented_program_computes_the_hashes_again(
    hashes: list[str], tmp_path: Path, page: str
) -> None:
    run("export", "audit.jsonl")
    (tmp_path / "check.py").write_text(snippet(page))

    def checked() -> subprocess.CompletedProcess[str]:
        program = [sys.executable, "check.py", "audit.jsonl"]
        return subprocess.run(program, capture_output=True, text=True, cwd=tmp_path, check=False)

    assert checked().stdout == f"3 {hashes[-1]}\n"
    lines = (tmp_path / "audit.jsonl").read_text().replace("editor", "admin", 1)
    (tmp_path / "audit.jsonl").write_text(lines)
    found = checked()
    assert (found.returncode, found.stderr) == (1, "1 is broken\n")


def test_what_a_terminal_would_obey_is_shown_and_a_number_too_large_is_refused(
    data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asyncio.run(written(data_dir, "\x1b[2Jp\x9b31m\u202egnp"))
    for options in ((), ("--json",)):
        assert run("list", *options) == 0
        assert not set(capsys.readouterr().out) & {"\x1b", "\x9b", "\u202e"}
    assert run("export", "-") == 0
    assert not set(capsys.readouterr().out) & {"\x1b", "\x9b", "\u202e"}
    assert run("list", "--before", "99999999999999999999") == 2
