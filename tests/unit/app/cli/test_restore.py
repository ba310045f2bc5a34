import json
import os
import resource
import zipfile
from pathlib import Path

import pytest
from sqlalchemy import text
from tests.support.command import exit_code
from tests.support.inhabited import data_dir, inhabited

from palabre.adapters.storage.data_dir import DataDirLock
from palabre.adapters.storage.sql.address import sqlite_address
from palabre.adapters.storage.sql.database import thread_connection

__all__ = ["data_dir", "inhabited"]


def test_a_restore_needs_an_empty_place_or_to_be_told_to_replace(
    inhabited: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    exit_code("backup", "b.zip")
    (inhabited / "topics.toml").write_text("newer")
    capsys.readouterr()
    assert exit_code("restore", "b.zip") == 2
    assert "--replace" in capsys.readouterr().err
    assert (inhabited / "topics.toml").read_text() == "newer"
    assert exit_code("restore", "b.zip", "--replace", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["restored"]
    assert (Path(told["aside"]) / "topics.toml").read_text() == "newer"
    assert (inhabited / "topics.toml").read_text() == "old"
    assert inhabited.stat().st_mode & 0o777 == 0o700
    assert (inhabited / "palabre.db").stat().st_mode & 0o777 == 0o600


def test_a_dry_run_checks_and_changes_nothing(
    inhabited: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    exit_code("backup", "b.zip")
    monkeypatch.setenv("PALABRE_DATA_DIR", str(inhabited.parent / "other"))
    capsys.readouterr()
    assert exit_code("restore", "b.zip", "--dry-run") == 0
    assert "is whole" in capsys.readouterr().out
    assert not (inhabited.parent / "other").exists()
    assert exit_code("restore", "b.zip") == 0
    assert "everybody logs in again" in capsys.readouterr().out
    assert (inhabited.parent / "other" / "topics.toml").read_text() == "old"


def test_a_dry_run_at_home_checks_the_backup_and_says_that_it_needs_to_replace(
    inhabited: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    exit_code("backup", "b.zip")
    capsys.readouterr()
    assert exit_code("restore", "b.zip", "--dry-run") == 0
    told = capsys.readouterr().out
    assert "is whole" in told
    assert f"There is data in {inhabited} already: to restore there, add --replace" in told
    assert exit_code("restore", "b.zip", "--dry-run", "--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["restored"], report["needsReplace"]) == (False, True)
    with zipfile.ZipFile("b.zip", "a") as packed:
        packed.writestr("files/../../evil", b"x")
    assert exit_code("restore", "b.zip", "--dry-run") == 1
    assert sorted(each.name for each in inhabited.parent.iterdir()) == ["data", "elsewhere"]


def test_a_backup_goes_from_one_named_data_dir_into_another(
    inhabited: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PALABRE_DATA_DIR", str(inhabited.parent / "unused"))
    assert exit_code("backup", "b.zip", "--data-dir", str(inhabited)) == 0
    assert exit_code("restore", "b.zip", "--data-dir", str(inhabited)) == 2
    assert "with --data-dir" in capsys.readouterr().err
    other = inhabited.parent / "other"
    assert exit_code("restore", "b.zip", "--data-dir", str(other), "--dry-run", "--json") == 0
    assert not json.loads(capsys.readouterr().out)["needsReplace"]
    assert exit_code("restore", "b.zip", "--data-dir", str(other)) == 0
    assert (other / "topics.toml").read_text() == "old"
    assert not (inhabited.parent / "unused").exists()


def test_a_data_dir_that_a_server_holds_is_left_alone(
    inhabited: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    exit_code("backup", "b.zip")
    lock = DataDirLock(inhabited)
    assert exit_code("restore", "b.zip", "--replace") == 1
    lock.release()
    assert sorted(each.name for each in inhabited.parent.iterdir()) == ["data", "elsewhere"]


def test_a_damaged_backup_changes_nothing(
    inhabited: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    exit_code("backup", "b.zip")
    with zipfile.ZipFile("b.zip", "a") as packed:
        packed.writestr("files/../../evil", b"x")
    capsys.readouterr()
    assert exit_code("restore", "b.zip", "--replace") == 1
    told = capsys.readouterr().err
    assert "Nothing was changed" in told
    assert "files/../../evil" in told
    assert exit_code("restore", "none.zip", "--replace") == 1
    with thread_connection(sqlite_address(inhabited), writes=False) as connection:
        assert connection.scalar(text("SELECT count(*) FROM audit")) == 3


def test_a_disk_that_takes_no_more_changes_nothing(
    inhabited: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (inhabited / "personas").mkdir()
    (inhabited / "personas" / "large.bin").write_bytes(os.urandom(3_000_000))
    exit_code("backup", "b.zip")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    capsys.readouterr()
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, limits[1]))
    try:
        assert exit_code("restore", "b.zip", "--replace") == 1
        assert exit_code("backup", "c.zip") == 1
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    told = capsys.readouterr().err
    assert "cannot be unpacked" in told
    assert "c.zip cannot be written" in told
    assert [each.name for each in Path().iterdir()] == ["b.zip"]
    assert sorted(each.name for each in inhabited.parent.iterdir()) == ["data", "elsewhere"]


def test_a_mount_point_is_refused_before_anything_is_read_or_written(
    inhabited: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    exit_code("backup", "b.zip")
    monkeypatch.setenv("PALABRE_DATA_DIR", "/proc")
    capsys.readouterr()
    for options in (("--replace",), ("--dry-run",)):
        assert exit_code("restore", "b.zip", *options) == 1
        assert "must not be a mount point" in capsys.readouterr().err
