"""Kill the process that summarises channels, whenever it may be: no word is lost or told twice."""

import gzip
import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from palabre.adapters.storage.jsonl.messages import JsonlMessageStore
from palabre.kernel.ids import ChannelName
from palabre.testing.telemetry import RecordingTelemetry

pytestmark = pytest.mark.e2e

GENERAL = ChannelName("#general")
COMPACT_FOR_EVER = """
import asyncio, sys
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from palabre.adapters.storage.jsonl.messages import JsonlMessageStore
from palabre.core.chat.model import Utterance
from palabre.kernel.ids import ChannelName, Nick
from palabre.testing.telemetry import RecordingTelemetry

GENERAL = ChannelName("#general")

async def speak(store, numbers):
    for number in numbers:
        text = f"{number} " + "é" * (number % 300)
        await store.append(Utterance(datetime.now(UTC), GENERAL, Nick("lea"), text))
        print("said", number, flush=True)

async def compact(store):
    for number in count(1):
        backlog = await store.backlog(GENERAL, 0.8, 10)
        if backlog and await store.compact(backlog, f"Résumé {number}", datetime.now(UTC)):
            print("compacted", number, flush=True)
        await asyncio.sleep(0)

async def main():
    store = await JsonlMessageStore.open(Path(sys.argv[1]), RecordingTelemetry())
    numbers = count()
    async with asyncio.TaskGroup() as group:
        for _ in range(4):
            group.create_task(speak(store, numbers))
        group.create_task(compact(store))

asyncio.run(main())
"""


@pytest.mark.parametrize("seed", range(8))
async def test_a_kill_leaves_the_old_state_or_the_new_one(tmp_path: Path, seed: int) -> None:
    moment_s = random.Random(seed).uniform(0.05, 0.4)  # noqa: S311 - no secret
    said = killed_after(tmp_path, moment_s)
    store = await JsonlMessageStore.open(tmp_path, RecordingTelemetry())
    stats = await store.stats(GENERAL)
    context = await store.within(GENERAL, 10_000_000)
    await store.aclose()

    archived = numbers_in(tmp_path / "context/archive")
    live = [int(each.text.split()[0]) for each in context if each.kind == "message"]
    assert said <= set(archived) | set(live)
    assert len(live) == len(set(live)) == stats.messages
    assert stats.compactions >= 1
    assert context[0].kind == "summary"
    # What was packed and not yet summarised is in both: words may be twice, never lost.
    summarised = set(archived) - set(live)
    assert len(summarised) == stats.compacted_entries
    names = {path.name for path in (tmp_path / "context").iterdir()}
    assert names <= {f"_general.{end}" for end in ("jsonl", "summary.json", "index.json")} | {
        "archive"
    }


def killed_after(data: Path, seconds: float) -> set[int]:
    command = [sys.executable, "-c", COMPACT_FOR_EVER, str(data)]
    told = b""
    with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
        assert child.stdout
        while b"compacted" not in told:
            told += child.stdout.readline()
        time.sleep(seconds)
        child.send_signal(signal.SIGKILL)
        told += child.stdout.read()
    whole = told[: told.rfind(b"\n")].decode().splitlines()
    return {int(line.split()[1]) for line in whole if line.startswith("said ")}


def numbers_in(archives: Path) -> list[int]:
    return [
        int(json.loads(line)["text"].split()[0])
        for path in archives.glob("*.jsonl.gz")
        for line in gzip.decompress(path.read_bytes()).splitlines()
    ]
