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

from palabre.adapters.storage.jsonl.messages import JsonlMessageStore
from palabre.kernel.ids import ChannelName
from palabre.testing.telemetry import RecordingTelemetry

pytestmark = pytest.mark.e2e

APPEND_FOR_EVER = """
import asyncio, sys
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from palabre.adapters.storage.jsonl.messages import JsonlMessageStore
from palabre.core.chat.model import Utterance
from palabre.kernel.ids import ChannelName, Nick
from palabre.testing.telemetry import RecordingTelemetry

async def speak(store, numbers):
    for number in numbers:
        text = f"{number} " + "é" * (number % 1500)
        channel = ChannelName(f"#c{number % 4}")
        await store.append(Utterance(datetime.now(UTC), channel, Nick("lea"), text))
        print(number, flush=True)

async def main():
    store = await JsonlMessageStore.open(Path(sys.argv[1]), RecordingTelemetry())
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


def killed_after(data: Path, seconds: float) -> set[int]:
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
