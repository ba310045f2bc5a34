"""Fill a knowledge base with made-up chunks, and search it: `python -m bench.knowledge_run`."""

import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from palabre.adapters.knowledge.analysis import StemmingAnalyser
from palabre.adapters.storage.sql.address import sqlite_address
from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.knowledge.store import SqlKnowledgeStore
from palabre.adapters.telemetry.machine import ProcessMachine
from palabre.adapters.telemetry.watchdog import watch_loop
from palabre.app.clock import SystemClock
from palabre.core.knowledge.model import (
    Chunk,
    EmbedderChoice,
    EmbedderKey,
    IndexedChunk,
    SourceText,
)
from palabre.core.knowledge.questions import Questions
from palabre.core.knowledge.search import Asked, Searcher
from palabre.testing.knowledge import LetterEmbedder
from palabre.testing.telemetry import RecordingTelemetry

CHUNKS, DOCUMENTS, DIMENSIONS = 100_000, 200, 384
WORDS, ZIPF = 60_000, 1.05
QUESTIONS, WARM_UP = 400, 20
EMBEDDER = EmbedderKey("bench/synthetic", DIMENSIONS)
NOW = datetime(2026, 3, 20, tzinfo=UTC)
_SYLLABLES = "ba che dou fri gla jo lin mur non par quai ré son tur vi zé".split()  # noqa: SIM905


class Corpus:
    """Words as frequent as in a language, and vectors that lie in groups like those of texts."""

    def __init__(self, chance: np.random.Generator) -> None:
        self._chance = chance
        frequency = 1 / np.arange(1, WORDS + 1) ** ZIPF
        self._frequency = np.cumsum(frequency / frequency.sum())
        # Embedders use some directions more than others.
        self._spread = 1 / np.sqrt(1 + np.arange(DIMENSIONS) / 20)
        self._topics = _unit(chance.standard_normal((400, DIMENSIONS)) * self._spread)

    def words(self, count: int) -> list[str]:
        """Return *count* terms, frequent ones more often."""
        return [_word(n) for n in np.searchsorted(self._frequency, self._chance.random(count))]

    def vectors(self, count: int) -> NDArray[np.float32]:
        """Return *count* vectors of length 1."""
        topics = self._topics[self._chance.integers(0, len(self._topics), count)]
        own = _unit(self._chance.standard_normal(topics.shape) * self._spread)
        return _unit(topics + own)


async def fill(folder: Path) -> None:
    """Write the chunks into the database of *folder*, as documents are."""
    corpus = Corpus(np.random.default_rng(7))
    async with _store(folder) as store:
        await store.choose(EmbedderChoice(EMBEDDER, "bench"), None)
        for number in range(DOCUMENTS):
            name = f"document {number}"
            text = SourceText(name, name, name)
            kept = await store.keep(name, text, f"{number:064x}", "bench", NOW)
            await store.publish(kept, list(_chunks(corpus)), "bench")
            ids = [chunk.id for chunk in await store.chunks(kept)]
            pairs = list(zip(ids, corpus.vectors(len(ids)), strict=True))
            await store.save_vectors(kept, EMBEDDER, pairs)
            await store.complete(kept, EMBEDDER)


async def search(folder: Path) -> dict[str, float]:
    """Search the database of *folder*; return the figures."""
    corpus = Corpus(np.random.default_rng(8))
    machine = ProcessMachine(SystemClock())
    before_bytes = machine.resident_bytes()
    async with _store(folder) as store, asyncio.TaskGroup() as tasks:
        searcher = Searcher(store, StemmingAnalyser(), Questions(LetterEmbedder()))
        watched = RecordingTelemetry()
        watch = tasks.create_task(watch_loop(watched))
        started_s = time.perf_counter()
        await store.nearest(EMBEDDER, corpus.vectors(1)[0], 1)
        load_s = time.perf_counter() - started_s
        times_s = [await _ask(store, searcher, corpus) for _ in range(WARM_UP + QUESTIONS)]
        watch.cancel()
    times_ms, cpu_ms = np.array(times_s[WARM_UP:]).T * 1000
    return {
        "p50_ms": float(np.percentile(times_ms, 50)),
        "p99_ms": float(np.percentile(times_ms, 99)),
        "cpu_p99_ms": float(np.percentile(cpu_ms, 99)),
        "load_s": load_s,
        "stall_ms": watched.gauges["loop_lag_max_seconds"] * 1000,
        "rss_mb": (machine.resident_bytes() - before_bytes) / 1e6,
    }


async def _ask(store: SqlKnowledgeStore, searcher: Searcher, corpus: Corpus) -> tuple[float, float]:
    """Return the time and the CPU time that a question takes whose vector is known."""
    terms = tuple(dict.fromkeys(corpus.words(8)))
    asked = Asked(terms, EMBEDDER, corpus.vectors(1)[0])
    started_s, started_cpu_s = time.perf_counter(), time.process_time()
    await store.count_searched()
    await searcher.near(asked, 2, 0.3)
    return time.perf_counter() - started_s, time.process_time() - started_cpu_s


def _chunks(corpus: Corpus) -> Iterator[IndexedChunk]:
    for number in range(CHUNKS // DOCUMENTS):
        terms = corpus.words(45)
        yield IndexedChunk(Chunk(number * 500, " ".join(terms), number + 1), terms)


@asynccontextmanager
async def _store(folder: Path) -> AsyncIterator[SqlKnowledgeStore]:
    database = await Database.open(sqlite_address(folder))
    try:
        yield SqlKnowledgeStore(database)
    finally:
        await database.aclose()


def _word(number: int) -> str:
    syllables = []
    number += len(_SYLLABLES)
    while number:
        number, place = divmod(number, len(_SYLLABLES))
        syllables.append(_SYLLABLES[place])
    return "".join(syllables)


def _unit(vectors: NDArray[np.float64]) -> NDArray[np.float32]:
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


if __name__ == "__main__":
    step, place = sys.argv[1], Path(sys.argv[2])
    if step == "fill":
        asyncio.run(fill(place))
    else:
        print(json.dumps(asyncio.run(search(place))))
