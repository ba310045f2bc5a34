"""Keep made-up messages, search and export them: `python -m bench.history_run`."""

import asyncio
import json
import resource
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path

import numpy as np
from sqlalchemy import text

from bench.history_bulk import put_all
from palabre.adapters.storage.day_logs.follower import LogFollower
from palabre.adapters.storage.sql.address import postgres_address, sqlite_address
from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.history.log_offsets import LogOffsets
from palabre.adapters.storage.sql.history.rows import NumberedLine, first_id
from palabre.adapters.storage.sql.history.store import SqlHistoryStore
from palabre.adapters.storage.sql.history.writing import add_lines
from palabre.adapters.telemetry.watchdog import watch_loop
from palabre.core.history.model import NewLine, Span, Wanted
from palabre.kernel.clock import iso_utc
from palabre.surfaces.admin.exported_page import ExportedPage
from palabre.testing.telemetry import RecordingTelemetry

MESSAGES, PER_BATCH, APART = 200_000, 500, timedelta(seconds=30)
FOLLOWED = 7 * 2880
"""Messages of the first days."""

QUIET, QUIET_EVERY = "#labo", 50
FIRST = datetime(2026, 1, 1, tzinfo=UTC)
RARE_EVERY = 10_000
SEARCHES_OF_A_KIND, WARM_UP = 200, 20
LIMIT = 50
WORDS, ZIPF = 30_000, 1.05
LETTERS = "eeeeeeeaaaaiiiisssnnnrrrtttooolluuuddccmmppéévqfbghjàxèyêzçwkîôù"


class Talk:
    """Words of French letters, as frequent as in a language."""

    def __init__(self, seed: int) -> None:
        self._chance = np.random.default_rng(seed)
        spelling = np.random.default_rng(1)
        share = 1 / np.arange(1, WORDS + 1) ** ZIPF
        self._share = np.cumsum(share / share.sum())
        self.known = [_word(spelling) for _ in range(WORDS)]

    def words(self, count: int) -> list[str]:
        """Return *count* words, frequent ones more often."""
        return [self.known[n] for n in np.searchsorted(self._share, self._chance.random(count))]

    def length(self) -> int:
        """Return how many words a message has."""
        return 1 + int(self._chance.exponential(14))


def messages() -> Iterator[NewLine]:
    """Yield what is kept: words as frequent as in a language."""
    talk = Talk(7)
    for number in range(MESSAGES):
        words = talk.words(talk.length())
        words += ["autrefois"] if number < MESSAGES // 2 else []
        words += [f"zygomatique{number}"] if not number % RARE_EVERY else []
        said = " ".join(words)
        at, nick = FIRST + number * APART, f"nick{number % 40}"
        channel = "#general" if number % QUIET_EVERY else QUIET
        yield NewLine(at, channel, nick, "message", said, len(said.encode()) + 100)


async def fill(address: str) -> dict[str, float]:
    """Keep the messages: some as the program does, by following logs or straight in tables.

    All others come at once, which takes less time.
    """
    if not _is_postgres(address):
        _write_logs(Path(address) / "chat-logs")
    watched = RecordingTelemetry()
    async with _database(address) as database, asyncio.TaskGroup() as tasks:
        watch = tasks.create_task(watch_loop(watched))
        started_s = time.perf_counter()
        await (_add if _is_postgres(address) else _follow)(database, address)
        fill_s = time.perf_counter() - started_s
        watch.cancel()
        await asyncio.to_thread(put_all, database.address, _others())
        size_mb = await _size_mb(database)
    stall_ms = watched.gauges["loop_lag_max_seconds"] * 1000
    return {"messages_per_s": FOLLOWED / fill_s, "size_mb": size_mb, "stall_ms": stall_ms}


async def search(address: str) -> dict[str, dict[str, float]]:
    """Search by each kind of words."""
    async with _database(address) as database:
        store = SqlHistoryStore(database)
        return {kind: await _searched(store, kind, words) for kind, words in _kinds().items()}


async def export(address: str) -> dict[str, float]:
    """Export all messages."""
    async with _database(address) as database:
        store = SqlHistoryStore(database)
        page = ExportedPage("#general", "fr", {}.get)
        before_mb, started_s, size = _peak_mb(), time.perf_counter(), 0
        async for piece in page.pieces(store.lines(Span("#general"))):
            size += len(piece)
        export_s = time.perf_counter() - started_s
        grown_mb = _peak_mb() - before_mb
    return {"export_s": export_s, "size_mb": size / 1e6, "grown_mb": grown_mb}


def _kinds() -> dict[str, Callable[[int], str]]:
    usual = list(dict.fromkeys(Talk(8).words(400)))
    often = Talk(8).known[:12]
    return {
        "rare": lambda number: f"zygomatique{number * RARE_EVERY % MESSAGES}",
        "miss": lambda number: f"{usual[number % len(usual)]}xkq",
        "two": lambda number: f"{'abcdefghijqxz'[number % 13]}{'aeirouzk'[number % 8]}",
        "frequent": lambda number: often[number % len(often)],
        "phrase": lambda number: " ".join(often[(number + k) % len(often)] for k in range(4)),
        "past": lambda _: "autrefois",
        "quiet": lambda number: f"{often[number % len(often)]} {often[(number + 1) % len(often)]}",
    }


async def _searched(
    store: SqlHistoryStore, kind: str, words: Callable[[int], str]
) -> dict[str, float]:
    channel, times_s = QUIET if kind == "quiet" else None, []
    for number in range(WARM_UP + SEARCHES_OF_A_KIND):
        started_s = time.perf_counter()
        await store.search(Wanted(words(number), LIMIT, channel=channel))
        times_s.append(time.perf_counter() - started_s)
    p50_s, p99_s = np.percentile(times_s[WARM_UP:], [50, 99])
    return {"p50_ms": p50_s * 1000, "p99_ms": p99_s * 1000}


def _word(chance: np.random.Generator) -> str:
    length = 1 + min(12, int(chance.gamma(3, 1.6)))
    return "".join(LETTERS[n] for n in chance.integers(0, len(LETTERS), length))


def _write_logs(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for line in islice(messages(), FOLLOWED):
        fields = {"ts": iso_utc(line.at), "channel": line.channel, "nick": line.nick}
        with (folder / f"v2-{line.at:%Y-%m-%d}.jsonl").open("a") as file:
            file.write(json.dumps({**fields, "type": line.kind, "text": line.text}) + "\n")


async def _follow(database: Database, address: str) -> None:
    await LogFollower(Path(address), LogOffsets(database)).catch_up(None)


async def _add(database: Database, _address: str) -> None:
    lines = islice(messages(), FOLLOWED)
    while batch := await asyncio.to_thread(lambda: list(islice(lines, PER_BATCH))):
        async with database.writing() as connection:
            await add_lines(connection, batch)


def _others() -> Iterator[NumberedLine]:
    for number, line in enumerate(islice(messages(), FOLLOWED, None)):
        yield NumberedLine(first_id(line.at.date()) + number, line)


async def _size_mb(database: Database) -> float:
    if database.address.file is not None:
        return database.address.file.stat().st_size / 1e6
    async with database.reading() as connection:
        size = await connection.scalar(text("SELECT pg_database_size(current_database())"))
    return float(size) / 1e6


@asynccontextmanager
async def _database(address: str) -> AsyncIterator[Database]:
    found = postgres_address(address) if _is_postgres(address) else sqlite_address(Path(address))
    database = await Database.open(found)
    try:
        yield database
    finally:
        await database.aclose()


def _is_postgres(address: str) -> bool:
    return address.startswith("postgres")


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


STEPS = {"fill": fill, "search": search, "export": export}

if __name__ == "__main__":
    print(json.dumps(asyncio.run(STEPS[sys.argv[1]](sys.argv[2]))))
