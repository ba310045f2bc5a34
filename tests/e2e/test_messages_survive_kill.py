"""Kill the process that keeps what is said, whenever it may be."""

import json
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import pytest
from sqlalchemy import select
from tests.support.databases import KINDS, address_of
from tests.support.postgres import postgres

from palabre.adapters.storage.jsonl.messages import JsonlMessageStore
from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.rooms.messages import SqlMessageStore
from palabre.adapters.storage.sql.schema.history import MESSAGES
from palabre.adapters.storage.sql.schema.rooms import CONTEXT_LINES
from palabre.kernel.ids import ChannelName
from palabre.testing.telemetry import RecordingTelemetry

pytestmark = pytest.mark.e2e
__all__ = ["postgres"]

APPEND_FOR_EVER = """
import asyncio, sys
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from palabre.adapters.storage.jsonl.messages import JsonlMessageStore
from palabre.adapters.storage.sql.address import postgres_address, sqlite_address
from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.rooms.messages import SqlMessageStore
from palabre.core.chat.model import Utterance
from palabre.kernel.ids import ChannelName, Nick
from palabre.testing.telemetry import RecordingTelemetry

async def opened(place):
    if "://" not in place:
        return await JsonlMessageStore.open(Path(place), RecordingTelemetry())
    if place.startswith("postgresql:"):
        return SqlMessageStore(await Database.open(postgres_address(place)))
    return SqlMessageStore(await Database.open(sqlite_address(Path(place.removeprefix("sqlite://")))))

async def speak(store, numbers):
    for number in numbers:
        text = f"{number} " + "é" * (number % 1500)
        channel = ChannelName(f"#c{number % 4}")
        await store.append(Utterance(datetime.now(UTC), channel, Nick("lea"), text))
        print(number, flush=True)

async def main():
    store = await opened(sys.argv[1])
    numbers = count()
    async with asyncio.TaskGroup() as group:
        for _ in range(20):
            group.create_task(speak(store, numbers))

asyncio.run(main())
"""


@pytest.mark.parametrize("seed", range(4))
async def test_every_acknowledged_line_is_in_both_files_after_a_kill(
    tmp_path: Path, seed: int
) -> None:
    moment_s = random.Random(seed).uniform(0.01, 0.4)  # noqa: S311 - no secret
    acknowledged = killed_after(tmp_path, moment_s)
    assert len(acknowledged) > 20

    logged = numbers_in((tmp_path / "chat-logs").glob("v2-*.jsonl"))
    remembered = numbers_in((tmp_path / "context").glob("*.jsonl"))
    assert acknowledged <= set(logged)
    assert acknowledged <= set(remembered)
    assert len(logged) == len(set(logged))
    assert len(remembered) == len(set(remembered))
    await goes_on(tmp_path, len(remembered))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(2))
async def test_every_acknowledged_line_is_in_log_and_context_of_the_database_after_a_kill(
    tmp_path: Path, request: pytest.FixtureRequest, kind: str, seed: int
) -> None:
    moment_s = random.Random(seed).uniform(0.05, 1)  # noqa: S311 - no secret
    address = address_of(kind, request, tmp_path)
    place = address.url.render_as_string(hide_password=False).replace("+psycopg", "")
    acknowledged = killed_after(
        place if address.file is None else f"sqlite://{address.file.parent}", moment_s
    )
    assert len(acknowledged) > 20

    database = await Database.open(address)
    async with database.reading() as connection:
        logged = [_number(text) for text in await connection.scalars(select(MESSAGES.c.text))]
        lines = (await connection.execute(select(CONTEXT_LINES).order_by(CONTEXT_LINES.c.id))).all()
    remembered = [_number(line.text) for line in lines]
    assert acknowledged <= set(logged)
    assert sorted(logged) == sorted(remembered)
    assert len(logged) == len(set(logged))
    for channel in range(4):
        of_channel = [_number(line.text) for line in lines if line.channel == f"#c{channel}"]
        assert of_channel == sorted(of_channel)
    store = SqlMessageStore(database)
    counts = [(await store.stats(ChannelName(f"#c{n}"))).messages for n in range(4)]
    assert sum(counts) == len(remembered)
    await store.aclose()
    await database.aclose()


def _number(text: str) -> int:
    return int(text.split(maxsplit=1)[0])


def killed_after(data: Path | str, seconds: float) -> set[int]:
    command = [sys.executable, "-c", APPEND_FOR_EVER, str(data)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
        assert child.stdout
        first = child.stdout.readline()
        time.sleep(seconds)
        child.send_signal(signal.SIGKILL)
        told = first + child.stdout.read()
    # The kill may have cut the last number short.
    return {int(number) for number in told[: told.rfind(b"\n")].split()}


def numbers_in(paths: Iterable[Path]) -> list[int]:
    """Read the whole lines; a kill in the middle of a write leaves the last one torn."""
    return [
        int(json.loads(line)["text"].split()[0])
        for path in paths
        for line in path.read_bytes().split(b"\n")[:-1]
    ]


async def goes_on(data: Path, messages: int) -> None:
    store = await JsonlMessageStore.open(data, RecordingTelemetry())
    counts = [(await store.stats(ChannelName(f"#c{n}"))).messages for n in range(4)]
    await store.aclose()
    assert sum(counts) == messages
