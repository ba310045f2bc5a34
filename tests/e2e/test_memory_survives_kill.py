"""Kill the process that keeps what personas remember, and change it from two at once."""

import asyncio
import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.support.command import palabre

from palabre.adapters.storage.json_memories.store import JsonMemoryStore
from palabre.kernel.ids import Nick, PersonaId

pytestmark = pytest.mark.e2e

BATTY = PersonaId("batty"), Nick("Batty")
LEARN_FOR_EVER = """
import asyncio, sys
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from palabre.adapters.storage.json_memories.store import JsonMemoryStore
from palabre.core.memory.model import ArchivedFact

async def main():
    store = JsonMemoryStore(Path(sys.argv[1]))
    for number in count():
        fact = f"fait {number} " + "é" * (number * 37 % 5000)
        now = datetime.now(UTC)
        await store.revise("batty", "Batty", lambda record: replace(
            record, facts=(*record.facts, fact)[-20:],
            archive=(*record.archive, ArchivedFact(fact, now, now))[-100:], updated_at=now))
        print(number, flush=True)

asyncio.run(main())
"""


def learning(data_dir: Path) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-c", LEARN_FOR_EVER, str(data_dir)]
    return subprocess.Popen(command, stdout=subprocess.PIPE)


@pytest.mark.parametrize("seed", range(4))
async def test_a_kill_leaves_the_old_memory_or_the_new_one(tmp_path: Path, seed: int) -> None:
    moment_s = random.Random(seed).uniform(0.01, 0.4)  # noqa: S311 - no secret
    with learning(tmp_path) as child:
        assert child.stdout
        first = child.stdout.readline()
        time.sleep(moment_s)  # noqa: ASYNC251 - nothing else runs here
        child.send_signal(signal.SIGKILL)
        told = first + child.stdout.read()
    acknowledged = int(told[: told.rfind(b"\n")].split()[-1])

    record = json.loads((tmp_path / "v2-local/persona-memory/batty.json").read_text())
    newest = int(record["workingMemory"]["facts"][-1].split()[1])
    assert newest in {acknowledged, acknowledged + 1}
    mirror = json.loads((tmp_path / "persona-memory/Batty.json").read_text())
    assert int(mirror["facts"][-1].split()[1]) in {newest - 1, newest}

    store = JsonMemoryStore(tmp_path)
    assert (await store.recall(*BATTY)).facts[-1].startswith(f"fait {newest} ")
    undone = await store.undo(*BATTY)
    assert undone is not None
    assert undone.facts[-1].startswith(f"fait {newest - 1} ")
    names = [path.name for path in tmp_path.rglob("*") if path.is_file()]  # noqa: ASYNC240
    assert [name for name in names if name.startswith(".") and name != ".lock"] == []
    assert not [name for name in names if "unreadable" in name]


async def test_forgetting_while_another_process_learns_loses_neither(tmp_path: Path) -> None:
    with learning(tmp_path) as child:
        assert child.stdout
        child.stdout.readline()
        variables = {"PALABRE_DATA_DIR": str(tmp_path), "PALABRE_LANGUAGE": "en"}
        forgotten = await asyncio.to_thread(
            palabre, "memory", "forget", "Batty", "--all", "--yes", cwd=tmp_path, **variables
        )
        assert forgotten.returncode == 0, forgotten.stderr
        child.stdout.readline()
        child.send_signal(signal.SIGKILL)
        told = child.stdout.read()
    acknowledged = int(told[: told.rfind(b"\n")].split()[-1])
    record = await JsonMemoryStore(tmp_path).record(*BATTY)
    assert record.forgotten_at is not None
    assert all(each.first_seen_at > record.forgotten_at for each in record.archive)
    numbers = [int(fact.split()[1]) for fact in record.facts]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    assert numbers[-1] in {acknowledged, acknowledged + 1}
