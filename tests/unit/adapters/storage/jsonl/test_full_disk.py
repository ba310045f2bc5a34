"""A disk that takes no more, made real by the kernel's limit on the size of a file."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from tests.support.messages import lines_of

APPEND_UNTIL_FULL = """
import asyncio, json, resource, sys
from datetime import UTC, datetime
from pathlib import Path
from palabre.adapters.storage.jsonl.messages import JsonlMessageStore
from palabre.core.chat.model import Utterance
from palabre.kernel.errors import StorageError
from palabre.kernel.ids import ChannelName, Nick
from palabre.testing.telemetry import RecordingTelemetry

CHANNELS = [ChannelName("#a"), ChannelName("#b"), ChannelName("#c")]

async def main(data, limit_bytes):
    store = await JsonlMessageStore.open(Path(data), RecordingTelemetry())
    kept, lost, details = [], [], set()

    async def append(number):
        said = Utterance(
            datetime(2026, 3, 20, tzinfo=UTC), CHANNELS[number % 3], Nick("lea"), str(number)
        )
        try:
            await store.append(said)
            kept.append(number)
        except StorageError as refusal:
            lost.append(number)
            details.add(refusal.data["detail"])

    resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, resource.RLIM_INFINITY))
    async with asyncio.TaskGroup() as group:
        for number in range(60):
            group.create_task(append(number))
    for number in range(60, 90):
        await append(number)
    full = [sum([len(await store.latest(c, 999)) for c in CHANNELS]), len(kept)]
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    for number in range(90, 95):
        await append(number)
    stats = [(await store.stats(c)).messages for c in CHANNELS]
    await store.aclose()
    print(json.dumps(dict(kept=kept, lost=lost, details=sorted(details), full=full, stats=stats)))

asyncio.run(main(sys.argv[1], int(sys.argv[2])))
"""

OLD = b'{"ts":"2026-03-19T10:00:00.000Z","nick":"bob","text":"vieux","type":"message"}\n'


@pytest.mark.parametrize(
    ("limit_bytes", "old_lines"),
    [(3000, 0), (3001, 0), (2950, 0), (3000, 30), (2400, 30), (2440, 30), (10, 0)],
)
def test_a_full_disk_refuses_some_appends_and_spoils_none(
    tmp_path: Path, limit_bytes: int, old_lines: int
) -> None:
    contexts = [tmp_path / "context" / f"_{name}.jsonl" for name in "abc"]
    contexts[0].parent.mkdir()
    contexts[0].write_bytes(OLD * old_lines)
    told = json.loads(append_until_full(tmp_path, limit_bytes))

    numbers = {str(number) for number in told["kept"]}
    assert set(told["kept"]) | set(told["lost"]) == set(range(95))
    assert told["kept"][-5:] == [90, 91, 92, 93, 94]
    assert told["details"] == ["File too large"]

    assert Counter(lines_of(tmp_path / "chat-logs" / "v2-2026-03-20.jsonl")) == Counter(numbers)
    found = [text for path in contexts for text in lines_of(path)]
    assert Counter(found) == Counter({**Counter(numbers), "vieux": old_lines}) + Counter()
    assert told["full"][0] == told["full"][1] + old_lines
    assert told["stats"] == [len(lines_of(path)) for path in contexts]


def append_until_full(data: Path, limit_bytes: int) -> bytes:
    command = [sys.executable, "-c", APPEND_UNTIL_FULL, str(data), str(limit_bytes)]
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, timeout=60).stdout
