"""Kill a restore, whenever it may be: the old data is still there, or the new is whole."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from sqlalchemy import text
from tests.support.databases import with_database

from palabre.adapters.storage.sql.address import sqlite_address
from palabre.adapters.storage.sql.database import thread_connection

pytestmark = pytest.mark.e2e

FILES, ROWS, KILLS = 400, 4000, 8
ADD = text(
    "INSERT INTO accounts (folded, username, role, password_hash, created_at_ms) "
    "VALUES (:name, :name, 'viewer', 'x', 1)"
)


def palabre(*arguments: str, data_dir: Path) -> "subprocess.Popen[str]":
    program = "from palabre.app.cli.main import main; main()"
    return subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PALABRE_DATA_DIR": str(data_dir)},
    )


def inhabited(data_dir: Path, owner: str) -> None:
    with_database(data_dir)
    for number in range(FILES):
        folder = data_dir / "personas" / str(number % 7)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{number}.toml").write_text(owner * 500)
    with thread_connection(sqlite_address(data_dir), writes=True) as connection:
        connection.execute(ADD, [{"name": f"{owner}{number}"} for number in range(ROWS)])


def owner_of(data_dir: Path) -> str:
    """Return whose data dir it is; all of it must be there, and nothing of others."""
    files = list((data_dir / "personas").rglob("*.toml"))
    contents = {each.read_text() for each in files}
    with thread_connection(sqlite_address(data_dir), writes=False) as connection:
        names = connection.scalars(text("SELECT username FROM accounts")).all()
    assert (len(files), len(contents), len(names)) == (FILES, 1, ROWS)
    (content,) = contents
    owner = content[: len(content) // 500]
    assert {name.rstrip("0123456789") for name in names} == {owner}
    return owner


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("new")
    inhabited(folder / "data", "new")
    done = palabre("backup", str(folder / "b.zip"), "--json", data_dir=folder / "data")
    assert done.wait(60) == 0
    return folder / "b.zip"


def test_a_restore_that_is_killed_leaves_the_old_or_the_new(archive: Path, tmp_path: Path) -> None:
    inhabited(tmp_path / "model", "old")
    whole_s = took_s(archive, tmp_path)
    seen = set()
    chance = random.Random(4)  # noqa: S311 - no secret
    for number in range(KILLS):
        data_dir = tmp_path / f"home-{number}" / "data"
        shutil.copytree(tmp_path / "model", data_dir)
        process = palabre("restore", str(archive), "--replace", data_dir=data_dir)
        time.sleep(chance.uniform(0.4, 1.0) * whole_s)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=60)
        seen.add(owner_of(data_dir))
        again = palabre("restore", str(archive), "--replace", "--json", data_dir=data_dir)
        told = json.loads(again.communicate(timeout=60)[0])
        assert told["restored"]
        assert owner_of(data_dir) == "new"
    assert "old" in seen


def took_s(archive: Path, tmp_path: Path) -> float:
    data_dir = tmp_path / "first" / "data"
    shutil.copytree(tmp_path / "model", data_dir)
    started_s = time.monotonic()
    process = palabre("restore", str(archive), "--replace", "--json", data_dir=data_dir)
    told = json.loads(process.communicate(timeout=60)[0])
    assert owner_of(Path(told["aside"])) == "old"
    assert owner_of(data_dir) == "new"
    return time.monotonic() - started_s
