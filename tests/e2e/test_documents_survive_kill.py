"""Kill the process that indexes documents, whenever it may be."""

import random
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from palabre.adapters.storage.sql.address import sqlite_address
from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.knowledge.store import SqlKnowledgeStore
from palabre.core.knowledge.service import KnowledgeRules, KnowledgeService
from palabre.testing.clock import FrozenClock
from palabre.testing.ids import CountingIds
from palabre.testing.knowledge import LetterEmbedder, WordAnalyser

pytestmark = pytest.mark.e2e

PARAGRAPHS = 40
ADD_FOR_EVER = f"""
import asyncio, sys
from itertools import count
from pathlib import Path
from palabre.adapters.storage.sql.address import sqlite_address
from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.knowledge.store import SqlKnowledgeStore
from palabre.app.clock import SystemClock, SystemIds
from palabre.core.knowledge.model import SourceText
from palabre.core.knowledge.service import KnowledgeRules, KnowledgeService
from palabre.testing.knowledge import LetterEmbedder, WordAnalyser

class Telling(SqlKnowledgeStore):
    async def keep(self, document_id, text, *rest):
        kept = await super().keep(document_id, text, *rest)
        print("kept", text.source, flush=True)
        return kept

async def main():
    database = await Database.open(sqlite_address(Path(sys.argv[1])))
    service = KnowledgeService(Telling(database), WordAnalyser(), LetterEmbedder(),
        rules=KnowledgeRules(chunk_chars=200), clock=SystemClock(), ids=SystemIds())
    for number in count():
        # Every second text replaces the one before.
        source = f"source{{number // 2}}"
        text = "\\n\\n".join(f"mot{{number}} paragraphe{{n}} " * 8 for n in range({PARAGRAPHS}))
        await service.add(SourceText(source, source, text))
        print("done", source, flush=True)

asyncio.run(main())
"""


@pytest.mark.parametrize("seed", range(6))
async def test_a_kill_while_indexing_loses_nothing_and_leaves_nothing_half(
    tmp_path: Path, seed: int
) -> None:
    moment_s = random.Random(seed).uniform(0.05, 1.2)  # noqa: S311 - no secret
    told = killed_after(tmp_path, moment_s)
    kept = {source for word, source in told if word == "kept"}
    done = {source for word, source in told if word == "done"}
    assert kept
    async with opened(tmp_path) as (store, service):
        key = await LetterEmbedder().key()
        documents = await store.documents(key)
        assert kept <= {each.source for each in documents}
        assert done <= {each.source for each in documents if not each.is_pending}
        for each in documents:
            assert each.chunks in {0, PARAGRAPHS}
            assert len(await store.chunks(each.id)) == each.chunks
        found = {hit.chunk_id for hit in (await store.words(["paragraphe7"], 10**6)).hits}
        assert len(found) == sum(not each.is_pending for each in documents)
        near = await store.nearest(key, LetterEmbedder().vector("mot"), 10**6)
        assert len(near) == PARAGRAPHS * sum(each.embedded for each in documents)

        assert await service.resume() == 0
        after = await store.documents(key)
        assert all(each.embedded and each.chunks == PARAGRAPHS for each in after)
        assert len({each.source for each in after}) == len(after)
        assert len((await store.words(["paragraphe7"], 10**6)).hits) == len(after)


def killed_after(data: Path, seconds: float) -> list[list[str]]:
    command = [sys.executable, "-c", ADD_FOR_EVER, str(data)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout
        first = child.stdout.readline()
        time.sleep(seconds)
        child.send_signal(signal.SIGKILL)
        told = first + child.stdout.read()
    # The kill may have cut the last line short.
    return [line.split() for line in told[: told.rfind("\n")].splitlines()]


@asynccontextmanager
async def opened(data: Path) -> AsyncIterator[tuple[SqlKnowledgeStore, KnowledgeService]]:
    database = await Database.open(sqlite_address(data))
    store = SqlKnowledgeStore(database)
    clock = FrozenClock()
    clock.advance(10**9)  # long after whoever was killed
    rules = KnowledgeRules(chunk_chars=200)
    try:
        yield (
            store,
            KnowledgeService(
                store, WordAnalyser(), LetterEmbedder(), rules=rules, clock=clock, ids=CountingIds()
            ),
        )
    finally:
        await database.aclose()
