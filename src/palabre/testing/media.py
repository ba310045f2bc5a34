"""Pictures and music of which a test says how they come, and a store in memory."""

import asyncio
import struct
import zlib
from collections.abc import Sequence

from palabre.core.media.errors import MediaFullError
from palabre.core.media.model import (
    GeneratedImage,
    GeneratedMusic,
    MediaItem,
    MediaKind,
    StoredMedia,
)
from palabre.core.media.ports import MAX_LISTED, ContentPieces, Progress
from palabre.kernel.errors import StorageError, UpstreamError

MIB = 1024 * 1024
_RATE = 8000


def a_png(width: int = 1, height: int = 1) -> bytes:
    """Return a PNG of black pixels."""
    rows = zlib.compress((b"\0" + bytes(width)) * height)
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    chunks = [(b"IHDR", head), (b"IDAT", rows), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*each) for each in chunks)


def a_wav(duration_s: float = 1.0) -> bytes:
    """Return silence of 8 bits."""
    data = bytes([128]) * round(duration_s * _RATE)
    form = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, 1, _RATE, _RATE, 1, 8)
    body = b"WAVE" + form + struct.pack("<4sI", b"data", len(data)) + data
    return struct.pack("<4sI", b"RIFF", len(body)) + body


class ScriptedImageGenerator:
    """Makes one picture, or fails.

    Attributes:
        prompts: What was asked for.
        cancelled: How often the work was stopped.
        gate: Waited for before each picture; set at first.
        percent: Told before the picture is there; None tells nothing.
        error: Raised instead, while it is set.
    """

    def __init__(self, content: bytes = b"", *, seed: int = 123456) -> None:
        self._made = GeneratedImage(content or a_png(), "image/png", seed)
        self.prompts: list[str] = []
        self.cancelled = 0
        self.gate = asyncio.Event()
        self.gate.set()
        self.percent: int | None = None
        self.error: Exception | None = None

    async def generate(self, prompt: str, progress: Progress | None = None) -> GeneratedImage:
        """Note *prompt*, wait as the test says, and return the picture."""
        self.prompts.append(prompt)
        if self.percent is not None and progress is not None:
            progress(self.percent)
        try:
            await self.gate.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        if self.error is not None:
            raise self.error
        return self._made


class ScriptedComposer:
    """Makes one piece of music, or fails.

    Attributes:
        asked: What was asked for, with its seconds.
        gate: Waited for before each piece; set at first.
        error: Raised instead, while it is set.
    """

    def __init__(self, content: bytes = b"") -> None:
        self._made = GeneratedMusic(content or a_wav(), "audio/wav")
        self.asked: list[tuple[str, int]] = []
        self.gate = asyncio.Event()
        self.gate.set()
        self.error: UpstreamError | None = None

    async def compose(self, prompt: str, duration_s: int) -> GeneratedMusic:
        """Note what is asked for, wait as the test says, and return the music."""
        self.asked.append((prompt, duration_s))
        await self.gate.wait()
        if self.error is not None:
            raise self.error
        return self._made


class MemoryMediaStore:
    """`MediaStore` that forgets everything with the process.

    Attributes:
        error: Raised instead of keeping, while it is set.
    """

    def __init__(self, *, max_bytes: int = 64 * MIB) -> None:
        self._kept: dict[str, tuple[MediaItem, bytes]] = {}
        self._max_bytes = max_bytes
        self.error: StorageError | None = None

    async def save(self, item: MediaItem, content: bytes) -> None:
        if self.error is not None:
            raise self.error
        kept_bytes = sum(len(each) for _, each in self._kept.values())
        if kept_bytes + len(content) > self._max_bytes:
            raise MediaFullError(limit_mb=self._max_bytes // MIB)
        self._kept[item.id] = item, content

    async def latest(self, kind: MediaKind, count: int = MAX_LISTED) -> Sequence[MediaItem]:
        items = [item for item, _ in self._kept.values() if item.kind == kind]
        return sorted(items, key=lambda item: _age(item.id), reverse=True)[:count]

    async def find(self, kind: MediaKind, file_name: str) -> StoredMedia | None:
        for item, content in self._kept.values():
            if (item.kind, item.file_name) == (kind, file_name):
                return StoredMedia(item, len(content))
        return None

    async def read(self, item: MediaItem, first: int = 0, last: int | None = None) -> ContentPieces:
        if item.id not in self._kept:
            raise StorageError(detail="gone")
        content = self._kept[item.id][1]
        piece = content[first : None if last is None else last + 1]
        if piece:
            yield piece


def _age(item_id: str) -> tuple[int, str]:
    return int(item_id.partition("-")[0]), item_id


def _chunk(name: bytes, data: bytes) -> bytes:
    check = zlib.crc32(name + data)
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", check)
