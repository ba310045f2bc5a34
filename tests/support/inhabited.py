"""A data dir in which everything is that can be, for commands that take it as a whole."""

from pathlib import Path

import pytest
from tests.support.databases import with_database
from tests.support.table_rows import fill_all

from palabre.adapters.storage.sql.address import sqlite_address
from palabre.adapters.storage.sql.database import thread_connection


@pytest.fixture(autouse=True)
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where `palabre` keeps everything; the test stands in an empty folder beside it."""
    monkeypatch.setenv("PALABRE_LANGUAGE", "en")
    monkeypatch.setenv("PALABRE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "200")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    return tmp_path / "data"


@pytest.fixture
def inhabited(data_dir: Path) -> Path:
    """Give a data dir with a row in each table, and a file."""
    with_database(data_dir)
    with thread_connection(sqlite_address(data_dir), writes=True) as connection:
        fill_all(connection)
    (data_dir / "topics.toml").write_text("old")
    return data_dir
