import asyncio
import json
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest
from tests.support.command import exit_code

from palabre.adapters.storage.json_memories.store import JsonMemoryStore
from palabre.core.memory.model import ArchivedFact, Memory
from palabre.kernel.ids import Nick, PersonaId

BATTY = PersonaId("batty"), Nick("Batty")
NOW = datetime(2026, 3, 25, 18, 42, tzinfo=UTC)
RAIN = ArchivedFact("Lea aime la pluie", NOW, NOW, "chat", "fact_1", "lea", "#general", NOW)


@pytest.fixture(autouse=True)
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PALABRE_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("PALABRE_LANGUAGE", "en")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def known(data_dir: Path) -> Path:
    facts = ("Lea aime la pluie", "Marc a un chat")
    asyncio.run(
        JsonMemoryStore(data_dir).revise(
            *BATTY,
            lambda record: replace(
                record, facts=facts, summary="Pluie", archive=(RAIN,), updated_at=NOW
            ),
        )
    )
    return data_dir


run = partial(exit_code, "memory")


def recalled(data_dir: Path) -> Memory:
    return asyncio.run(JsonMemoryStore(data_dir).recall(*BATTY))


def test_show_prints_the_page_of_the_rooms_and_where_facts_come_from(
    known: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("show", "batty") == 0
    out = capsys.readouterr().out
    assert "=== Memory of Batty ===" in out
    assert "  2. Marc a un chat" in out
    assert "  1. said by lea in #general, 2026-03-25T18:42:00.000Z" in out


def test_show_as_json_is_the_file(known: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("show", "Batty", "--json") == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed == json.loads((known / "v2-local/persona-memory/batty.json").read_text())


def test_a_persona_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("show", "Nobody") == 2
    assert "Nobody" in capsys.readouterr().err


def test_one_fact_is_forgotten_and_comes_back_with_undo(
    known: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("forget", "Batty", "1", "--yes") == 0
    assert "still remembers 1" in capsys.readouterr().out
    assert recalled(known).facts == ("Marc a un chat",)
    assert b"pluie" not in (known / "persona-memory/Batty.json").read_bytes()
    assert run("undo", "Batty") == 0
    assert "  1. Lea aime la pluie" in capsys.readouterr().out
    assert len(recalled(known).facts) == 2


def test_what_is_left_is_printed_for_programs(
    known: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("forget", "Batty", "1", "--yes", "--json") == 0
    left = json.loads(capsys.readouterr().out)
    assert left["workingMemory"]["facts"] == ["Marc a un chat"]
    assert run("undo", "Batty", "--json") == 0
    assert len(json.loads(capsys.readouterr().out)["workingMemory"]["facts"]) == 2


def test_everything_is_forgotten_for_good(known: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("forget", "Batty", "--all", "--for-good", "-y") == 0
    assert recalled(known).facts == ()
    kept = [path.read_bytes() for path in known.rglob("*") if path.is_file()]
    assert kept
    assert not any(b"pluie" in each.lower() for each in kept)
    assert run("undo", "Batty") == 2
    assert "is kept" in capsys.readouterr().err


def test_it_asks_first_and_a_no_changes_nothing(
    known: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[str] = []

    def no(prompt: str, **_: object) -> bool:
        asked.append(prompt)
        raise SystemExit(1)

    monkeypatch.setattr("typer.confirm", no)
    assert run("forget", "Batty", "1") == 1
    assert asked == ['Shall Batty forget "Lea aime la pluie"?']
    assert len(recalled(known).facts) == 2


@pytest.mark.parametrize("number", ["0", "3"])
def test_a_number_that_is_not_there_is_told_with_how_many_there_are(
    known: Path, number: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("forget", "Batty", number, "--yes") == 2
    assert f"no fact {number}: there are 2" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [(), ("1", "--all")])
def test_it_is_one_fact_or_all_of_them(known: Path, arguments: tuple[str, ...]) -> None:
    assert run("forget", "Batty", *arguments, "--yes") == 2
    assert len(recalled(known).facts) == 2
