import json
from functools import partial
from pathlib import Path

import pytest
from tests.support.command import exit_code
from tests.support.databases import with_database
from tests.support.kxkm import make_kxkm


@pytest.fixture(autouse=True)
def theirs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PALABRE_DATA_DIR", str(with_database(tmp_path / "here")))
    monkeypatch.setenv("PALABRE_LANGUAGE", "en")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)
    return make_kxkm(tmp_path / "theirs")


run = partial(exit_code, "data", "import-kxkm")


def test_a_table_tells_what_became_of_everything_and_lines_what_was_left_out(
    theirs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(str(theirs)) == 0
    told = capsys.readouterr().out
    rows = [line.split() for line in told.splitlines()]
    assert ["lines", "of", "logs", "15", "10", "0", "5"] in rows
    assert "v2-local/personas.json#4: somebody here has this name" in told
    assert "chat-logs/v2-2026-03-19.jsonl:8: longer than 1 MB" in told
    assert "dry run" not in told


def test_programs_are_told_all_of_it(theirs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(str(theirs.parent), "--dry-run", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["dir"], told["dryRun"], told["compared"]) == (str(theirs), True, True)
    kinds = {each["kind"]: each for each in told["kinds"]}
    assert kinds["voices"] == {
        "kind": "voices",
        "read": 2,
        "taken": 1,
        "alreadyThere": 0,
        "leftOut": [
            {
                "place": "voice-samples/batty.wav",
                "reason": "no_voice",
                "text": "no WAV recording that can be used",
            }
        ],
    }
    assert not (Path("here") / "chat-logs").exists()


def test_a_folder_that_is_none_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty").mkdir()
    assert run("empty") == 2
    assert "chat-logs" in capsys.readouterr().err


def test_of_many_things_left_out_some_are_shown(
    theirs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(30):
        (theirs / f"odd-{number:02}.txt").touch()
    assert run(str(theirs), "--dry-run") == 0
    told = capsys.readouterr().out
    assert "... and 14 more of this kind" in told
    assert "A dry run: nothing was changed." in told
