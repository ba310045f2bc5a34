"""Editing personas from the command line, and what people think of them."""

import asyncio
import json
from functools import partial
from pathlib import Path

import pytest
from tests.support.command import exit_code

from palabre.app.editorial_desk import opened_desk
from palabre.app.settings import Settings
from palabre.core.editorial.model import Proposal, Wording
from palabre.core.editorial.votes import Judgement
from palabre.kernel.ids import PersonaId
from palabre.testing.clock import FrozenClock


@pytest.fixture(autouse=True)
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PALABRE_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("PALABRE_LANGUAGE", "en")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)
    return tmp_path


run = partial(exit_code, "persona")


def judged(data_dir: Path, *judgements: Judgement) -> None:
    async def judge() -> None:
        async with opened_desk(Settings(data_dir=data_dir)) as at:
            for each in judgements:
                await at.opinions.judge("anne", "Batty", each)

    asyncio.run(judge())


def test_reading_personas_makes_no_database(data_dir: Path) -> None:
    assert run("list") == 0
    assert list(data_dir.iterdir()) == []


def test_an_edit_is_seen_by_the_other_commands_and_taken_back(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run("edit", "@batty", "--name", "Roy", "--summary", "Sois bref.") == 0
    assert capsys.readouterr().out == "Roy (qwen3:8b), on: Sois bref.\n"
    assert run("list", "--json") == 0
    assert json.loads(capsys.readouterr().out)[1]["nick"] == "Roy"
    assert run("revert", "Roy", "--json") == 0
    assert json.loads(capsys.readouterr().out)["name"] == "Batty"
    assert run("revert", "Batty") == 2
    assert "nothing left to take back" in capsys.readouterr().err


def test_a_persona_is_switched_off_and_on(capsys: pytest.CaptureFixture[str]) -> None:
    states = []
    for arguments in ((), (), ("--off",), ("--off",), ("--on",)):
        assert run("toggle", "Batty", *arguments, "--json") == 0
        states.append(json.loads(capsys.readouterr().out)["enabled"])
    assert states == [False, True, False, False, True]


@pytest.mark.parametrize(
    "arguments",
    [
        ("Batty",),
        ("Batty", "--summary", "s" * 2001),
        ("Batty", "--max-tokens", "-1"),
        ("Batty", "--name", "<b>"),
        ("Batty", "--name", "Schaeffer"),
        ("Nobody", "--summary", "x"),
    ],
)
def test_what_cannot_be_is_refused(arguments: tuple[str, ...]) -> None:
    assert run("edit", *arguments) == 2


def test_feedback_is_printed_newest_first(
    data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("feedback", "Batty") == 0
    assert capsys.readouterr().out == "Nothing.\n"
    judged(data_dir, Judgement("up", "Le\nson.", "q", "1"))
    run("toggle", "Batty")
    capsys.readouterr()
    assert run("feedback", "Batty") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("  ", 1)[1] for line in lines] == [
        "admin_edit  Persona disabled by cli",
        "up  Le son.",
    ]
    assert run("feedback", "Batty", "--json") == 0
    assert [each["kind"] for each in json.loads(capsys.readouterr().out)] == ["admin_edit", "vote"]


def test_pairs_are_written_to_a_new_file_or_to_standard_output(
    data_dir: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    judged(data_dir, Judgement("up", "é", "q", "1"), Judgement("down", "b", "q", "2"))
    pair = {"prompt": "q", "chosen": "é", "rejected": "b", "persona_id": "batty"}
    assert run("export-dpo", "--output", "pairs.jsonl") == 0
    assert json.loads((data_dir / "pairs.jsonl").read_text(encoding="utf-8")) == pair
    assert run("export-dpo", "--output", "pairs.jsonl") == 2
    capfd.readouterr()
    assert run("export-dpo", "--persona", "Batty") == 0
    assert json.loads(capfd.readouterr().out) == pair
    assert run("export-dpo", "--persona", "Schaeffer") == 0
    assert capfd.readouterr().out == ""
    assert run("export-dpo", "--persona", "Nobody") == 2


def test_proposals_are_printed_with_what_became_of_them(
    data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, after = (Wording("Batty", "m", words) for words in ("a", "Sois bref."))
    made_at = FrozenClock().now()
    proposal = Proposal("p", PersonaId("batty"), "pharmacius", before, after, True, made_at)

    async def propose() -> None:
        async with opened_desk(Settings(data_dir=data_dir)) as at:
            await at.stores.proposals.add(proposal)

    asyncio.run(propose())
    assert run("proposals", "Batty") == 0
    assert capsys.readouterr().out.split("  ") == [
        "2026-03-20T10:00:00.000Z",
        "pharmacius *",
        "Sois bref.\n",
    ]
    assert run("proposals", "Batty", "--json") == 0
    [told] = json.loads(capsys.readouterr().out)
    assert (told["id"], told["after"]["summary"]) == ("p", "Sois bref.")
