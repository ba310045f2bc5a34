"""Kill the process that follows the logs, whenever it may be: no line is lost or kept twice."""

import json
import random
import signal
import subprocess
import sys
import time
from datetime import date
from pathlib import Path

import pytest
from sqlalchemy import text
from tests.support.databases import KINDS, address_of
from tests.support.postgres import postgres

from palabre.adapters.storage.day_logs.follower import LogFollower
from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.history.log_offsets import LogOffsets
from palabre.adapters.storage.sql.history.store import SqlHistoryStore
from palabre.core.history.model import Wanted

pytestmark = pytest.mark.e2e
__all__ = ["postgres"]

LINES, ROUNDS = 6000, 5
DAY = date(2026, 3, 20)
FOLLOW = """
import asyncio, sys
from pathlib import Path
from palabre.adapters.storage.day_logs.follower import LogFollower
from palabre.adapters.storage.sql.address import postgres_address, sqlite_address
from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.history.log_offsets import LogOffsets

async def main():
    data_dir, place = Path(sys.argv[1]), sys.argv[2]
    address = postgres_address(place) if "://" in place else sqlite_address(Path(place).parent)
    database = await Database.open(address)
    print("ready", flush=True)
    await LogFollower(data_dir, LogOffsets(database)).catch_up(None)
    await database.aclose()

asyncio.run(main())
"""


@pytest.mark.parametrize("kind", KINDS)
async def test_logs_are_followed_through_kills(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    chance = random.Random(3)  # noqa: S311
    address = address_of(kind, request, tmp_path)
    place = str(address.file or address.url.render_as_string(hide_password=False))
    log = tmp_path / "chat-logs" / f"v2-{DAY}.jsonl"
    log.parent.mkdir()
    for number in range(ROUNDS):
        if number == ROUNDS - 2:
            _write(log, "remplacé")  # what was read has to go, piece by piece
        elif not number:
            _write(log, "premier")
        _follow_and_kill(tmp_path, place, chance.uniform(0.02, 0.6))
    database = await Database.open(address)
    assert await LogFollower(tmp_path, LogOffsets(database)).catch_up(None)
    store = SqlHistoryStore(database)
    page = await store.of_day(DAY, LINES + 1, 0)
    assert page is not None and page.total == LINES
    assert [line.text for line in page.lines] == [f"remplacé {n}" for n in range(LINES)]
    assert await store.search(Wanted("premier", 5)) == []
    assert len(await store.search(Wanted("mplace 59", 200))) == 111
    if kind == "sqlite":
        async with database.writing() as connection:
            check = "INSERT INTO message_words (message_words) VALUES ('integrity-check')"
            await connection.execute(text(check))
    await database.aclose()


def _write(log: Path, word: str) -> None:
    said = {"ts": "2026-03-20T10:00:00.000Z", "channel": "#general", "nick": "lea"}
    lines = (json.dumps({**said, "text": f"{word} {number}"}) for number in range(LINES))
    log.write_text("\n".join(lines) + "\n")


def _follow_and_kill(data_dir: Path, place: str, after_s: float) -> None:
    command = [sys.executable, "-c", FOLLOW, str(data_dir), place]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        time.sleep(after_s)
        process.send_signal(signal.SIGKILL)
