import json
import os
import zipfile
from pathlib import Path

import pytest
from tests.support.command import exit_code
from tests.support.inhabited import data_dir, inhabited

__all__ = ["data_dir", "inhabited"]


def test_a_backup_is_named_after_the_moment_and_for_its_owner_alone(
    inhabited: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code("backup") == 0
    (path,) = (tmp_path / "elsewhere").iterdir()
    assert path.name.startswith("palabre-backup-20")
    assert path.stat().st_mode & 0o777 == 0o600
    told = capsys.readouterr().out
    assert path.name in told
    assert "keep it private" in told


def test_programs_are_told_what_is_in_it(
    inhabited: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (inhabited / "link").symlink_to("topics.toml")
    assert exit_code("backup", "b.zip", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["path"] == "b.zip"
    assert told["sizeBytes"] == Path("b.zip").stat().st_size
    assert (told["files"], told["leftOut"], told["database"]) == (1, ["link"], "sqlite")
    assert told["tables"]["accounts"] == 3
    assert "sessions" not in told["tables"]


def test_a_file_that_is_there_or_would_hold_itself_is_refused(
    inhabited: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("b.zip").write_text("mine")
    assert exit_code("backup", "b.zip") == 2
    assert Path("b.zip").read_text() == "mine"
    assert exit_code("backup", str(inhabited)) == 2
    assert exit_code("backup", str(inhabited / "b.zip")) == 2
    assert "of which it is made" in capsys.readouterr().err


def test_personas_from_elsewhere_go_before_those_that_nobody_uses(
    inhabited: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    for folder in (inhabited / "personas", tmp_path / "own"):
        folder.mkdir()
        (folder / "lea.toml").write_text(folder.name)
    monkeypatch.setenv("PALABRE_PERSONAS__DIR", str(tmp_path / "own"))
    assert exit_code("backup", str(tmp_path / "own")) == 2
    assert exit_code("backup", "b.zip", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["files"], told["leftOut"]) == (2, [str(inhabited / "personas")])
    assert exit_code("restore", "b.zip", "--replace") == 0
    assert (inhabited / "personas" / "lea.toml").read_text() == "own"
    assert f"personas.dir names {tmp_path / 'own'}" in capsys.readouterr().out


def test_names_that_a_terminal_would_obey_or_cannot_show_are_told_as_codes(
    inhabited: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (inhabited / "a\x1b[2J").touch()
    Path(os.fsdecode(os.fsencode(inhabited) + b"/b\xff")).touch()
    assert exit_code("backup", "b.zip") == 0
    told = capsys.readouterr().out
    assert "a\\x1b[2J, b\\xff" in told
    assert "\x1b" not in told


def test_without_a_data_dir_there_is_nothing_to_back_up(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert exit_code("backup", "b.zip") == 2
    assert "nothing to back up" in capsys.readouterr().err
    assert not Path("b.zip").exists()


def test_sessions_and_locks_are_not_in_it(inhabited: Path) -> None:
    exit_code("backup", "b.zip")
    with zipfile.ZipFile("b.zip") as packed:
        names = packed.namelist()
        content = b"".join(map(packed.read, names))
    assert "tables/sessions.jsonl" not in names
    assert not [name for name in names if "lock" in name or ".db" in name]
    assert b"password_hash" in content
    assert b"fingerprint \xc3\xa9 \xe2\x80\xa8 \xf0\x9f\x90\x9d 0" in content  # of a key
