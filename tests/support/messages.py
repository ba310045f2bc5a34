"""Message stores on disk, and the files that they find there."""

import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

from palabre.adapters.storage.jsonl.context_file import PRead
from palabre.adapters.storage.jsonl.messages import JsonlMessageStore
from palabre.core.chat.model import StoreTotals, Utterance
from palabre.kernel.ids import ChannelName, Nick
from palabre.testing.telemetry import RecordingTelemetry

GENERAL = ChannelName("#general")
TEN = datetime(2026, 3, 20, 10, tzinfo=UTC)


class CountingReads:
    """Reads as `os.pread`, and counts calls and bytes."""

    def __init__(self) -> None:
        self.calls = 0
        self.size_bytes = 0

    def __call__(self, descriptor: int, count: int, offset: int) -> bytes:
        content = os.pread(descriptor, count, offset)
        self.calls += 1
        self.size_bytes += len(content)
        return content


@asynccontextmanager
async def opened(data: Path, pread: PRead = os.pread) -> AsyncIterator[JsonlMessageStore]:
    store = await JsonlMessageStore.open(data, RecordingTelemetry(), pread=pread)
    try:
        yield store
    finally:
        await store.aclose()


def said(text: str, channel: str = GENERAL, at: datetime = TEN) -> Utterance:
    return Utterance(at, ChannelName(channel), Nick("lea"), text)


def line(text: str) -> bytes:
    return json.dumps({"ts": "2026-03-20T10:00:00Z", "nick": "bob", "text": text}).encode()


def context_of(data: Path, content: bytes, name: str = "_general") -> Path:
    (data / "context").mkdir(parents=True, exist_ok=True)
    path = data / "context" / f"{name}.jsonl"
    path.write_bytes(content)
    return path


def texts(utterances: list[Utterance]) -> list[str]:
    return [utterance.text for utterance in utterances]


def lines_of(path: Path) -> list[str]:
    content = path.read_bytes()
    assert content.endswith(b"\n")
    return [json.loads(line)["text"] for line in content.splitlines()]


def on_disk(data: Path) -> StoreTotals:
    sizes = [path.stat().st_size for path in (data / "context").glob("*.jsonl")]
    return StoreTotals(sum(1 for size in sizes if size), sum(sizes))
