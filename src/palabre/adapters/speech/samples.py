"""Recordings that personas sound like: `voice-samples/<name>.wav` (facts of seed 000, 3.2)."""

import asyncio
import os
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from palabre.kernel.errors import StorageError
from palabre.wire.wav import NoWavError, WavHeader, read_header

FOLDER = "voice-samples"
"""Below the data dir."""

MAX_SAMPLE_BYTES = 10 * 1024 * 1024
MAX_NAME_CHARS = 64
MIN_RATE_HZ, MAX_RATE_HZ = 4_000, 192_000
MAX_CHANNELS = 8
_WIDTHS = {1: {8, 16, 24, 32}, 3: {32, 64}}
"""Bits of a sample, by what samples are: integers, floats."""

T = TypeVar("T")

_UNSAFE = re.compile(r"[^a-z0-9_-]")


class VoiceSamples:
    """The recordings in *folder*."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find(self, persona: str) -> bytes | None:
        """Return the recording of *persona*, by its nick; None without one that is a small WAV."""
        try:
            with self._path(persona).open("rb") as file:
                content = file.read(MAX_SAMPLE_BYTES + 1)
        except OSError:
            return None
        is_wav = content[:4] == b"RIFF" and content[8:12] == b"WAVE"
        return content if is_wav and len(content) <= MAX_SAMPLE_BYTES else None

    def path(self, persona: str) -> str:
        """Return where the recording of *persona* is, below the data dir."""
        return f"{FOLDER}/{sample_name(persona)}.wav"

    async def fault_of(self, wav: bytes, least_s: float) -> str:
        """Return why *wav* is no recording of at least *least_s* seconds; empty if it is one."""
        try:
            header = read_header(wav)
        except NoWavError as error:
            return str(error)
        if fault := _fault(header):
            return fault
        frame_bytes = header.channels * header.bits // 8
        duration_s = len(header.samples_in(wav)) // frame_bytes / header.rate_hz
        return "" if duration_s >= least_s else f"{duration_s:.3f} s"

    async def size_bytes(self, persona: str) -> int | None:
        """Return how large the recording of *persona* is; None without one."""
        try:
            return (await asyncio.to_thread(self._path(persona).stat)).st_size
        except OSError:
            return None

    async def put(self, persona: str, wav: bytes) -> None:
        """Keep *wav* for *persona*, whole or not at all.

        Raises:
            StorageError: It could not be kept; the one before is untouched.
        """
        draft = await self.draft(wav)
        try:
            await self.keep(persona, draft)
        finally:
            await self.drop(draft)

    async def draft(self, wav: bytes) -> str:
        """Write *wav* to the disk for `keep`; return where.

        Raises:
            StorageError: It could not be written.
        """
        return await asyncio.to_thread(_guarded, lambda: self._written(wav))

    async def keep(self, persona: str, draft: str) -> None:
        """Let *draft* be the recording of *persona*.

        Raises:
            StorageError: It could not be kept; the one before is untouched.
        """
        await asyncio.to_thread(_guarded, lambda: Path(draft).replace(self._path(persona)))

    async def drop(self, draft: str) -> None:
        """Forget *draft*, if it is there still."""
        await asyncio.to_thread(_guarded, lambda: Path(draft).unlink(missing_ok=True))

    async def remove(self, persona: str) -> None:
        """Forget the recording of *persona*, if there is one.

        Raises:
            StorageError: It could not be removed.
        """
        path = self._path(persona)
        await asyncio.to_thread(_guarded, lambda: path.unlink(missing_ok=True))

    async def rename(self, persona: str, renamed: str) -> None:
        """Let the recording of *persona*, if there is one, be that of *renamed*.

        Raises:
            StorageError: It could not be renamed.
        """
        old, new = self._path(persona), self._path(renamed)

        def move() -> None:
            if old != new and old.exists():
                old.replace(new)

        await asyncio.to_thread(_guarded, move)

    def _path(self, persona: str) -> Path:
        return self._folder / f"{sample_name(persona)}.wav"

    def _written(self, wav: bytes) -> str:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, draft = tempfile.mkstemp(dir=self._folder, prefix=".draft-")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(wav)
                file.flush()
                os.fsync(file.fileno())
        except OSError:
            Path(draft).unlink(missing_ok=True)
            raise
        return draft


def sample_name(persona: str) -> str:
    """Return the name of the file that holds the recording of *persona*, without `.wav`."""
    return _UNSAFE.sub("_", persona.lower())[:MAX_NAME_CHARS]


def _fault(header: WavHeader) -> str:
    if header.bits not in _WIDTHS.get(header.kind, set()):
        return f"format {header.kind}, {header.bits} bit"
    if not (1 <= header.channels <= MAX_CHANNELS):
        return f"{header.channels} channels"
    return "" if MIN_RATE_HZ <= header.rate_hz <= MAX_RATE_HZ else f"{header.rate_hz} Hz"


def _guarded(work: Callable[[], T]) -> T:
    try:
        return work()
    except OSError as fault:
        raise StorageError(detail=fault.strerror or type(fault).__name__) from fault
