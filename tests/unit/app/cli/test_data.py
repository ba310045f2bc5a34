"""`palabre data import-files`: from files into a Postgres, and what is told of it."""

import asyncio
import json
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest
from tests.support.command import exit_code
from tests.support.databases import address_of
from tests.support.postgres import postgres

from palabre.adapters.storage.jsonl.messages import JsonlMessageStore
from palabre.app.cli.failure import MISUSED
from palabre.core.chat.model import Utterance
from palabre.kernel.ids import ChannelName, Nick
from palabre.testing.telemetry import RecordingTelemetry

__all__ = ["postgres"]
TEN = datetime(2026, 3, 20, 10, tzinfo=UTC)


@pytest.fixture(autouse=True)
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PALABRE_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("PALABRE_LANGUAGE", "en")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)
    return tmp_path


async def say(data_dir: Path, *texts: str) -> None:
    store = await JsonlMessageStore.open(data_dir, RecordingTelemetry())
    for text in texts:
        await store.append(Utterance(TEN, ChannelName("#general"), Nick("lea"), text))
    await store.aclose()


run = partial(exit_code, "data")


def test_files_are_brought_in_once_and_counted(
    data_dir: Path,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    asyncio.run(say(data_dir, "un", "deux"))
    memories = data_dir / "v2-local/persona-memory"
    memories.mkdir(parents=True)
    (memories / "batty.json").write_text("{")
    address = address_of("postgres", request, data_dir)
    monkeypatch.setenv("DATABASE_URL", address.url.render_as_string(hide_password=False))
    assert run("import-files") == 0
    assert capsys.readouterr().out.splitlines() == [
        "2 message(s) of the logs brought in; 0 were there already.",
        "1 channel context(s) brought in; 0 left as the database has them.",
        "0 memory(ies) brought in; 0 left as the database has them.",
        "0 picture(s) and piece(s) of music brought in; 0 were there already.",
        "1 file(s) cannot be read and were left out: batty.json.",
    ]
    assert run("import-files", str(data_dir), "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["messages"] == {"added": 0, "known": 2, "unreadable": []}
    assert told["contexts"] == {"added": 0, "known": 1, "unreadable": []}


def test_without_a_database_there_is_nothing_to_bring_files_into(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run("import-files") == MISUSED
    assert "Set DATABASE_URL=postgresql://" in capsys.readouterr().err
