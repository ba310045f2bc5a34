"""Files are read by processes of their own, so many at a time."""

from asyncio import Semaphore
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from importlib.util import find_spec

from palabre.adapters.media.job import Found, Job, Limits
from palabre.adapters.media.worker import LostWorkerError, Worker
from palabre.core.media.errors import FilesBusyError, FileUnreadableError
from palabre.core.media.model import MAX_READ_BYTES, FileKind, Reading, SharedFile
from palabre.kernel.errors import UpstreamError

MIB = 1024 * 1024
FILE_LIMITS = Limits(memory_bytes=240 * MIB, cpu_s=5, wall_s=60)
OCR_LIMITS = Limits(memory_bytes=600 * MIB, cpu_s=45, wall_s=60)


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """What reading files may take.

    Attributes:
        processes: Processes at once, the one that waits for the next file included.
        waiting: Files that may wait for a process; more are refused.
        file: Of the process that sees the file.
        ocr: Of the process that reads the words of clean pictures. Its model alone takes more
            memory than a file may.
    """

    processes: int = 2
    waiting: int = 32
    file: Limits = FILE_LIMITS
    ocr: Limits = OCR_LIMITS


class WorkerFileReader:
    """One process for each file, thrown away after it; the next one is started in advance."""

    def __init__(self, limits: ReadingLimits | None = None) -> None:
        self._limits = limits or ReadingLimits()
        self._slots = Semaphore(self._limits.processes)
        self._waiting = 0
        self._spare: Worker | None = None
        self._is_open = True

    async def read(
        self, file: SharedFile, *, ocr: bool = False, text_bytes: int = MAX_READ_BYTES
    ) -> Reading:
        """Return what is in *file*."""
        async with self._slot():
            reading = await self._read(file, text_bytes, ocr=ocr)
            await self._prepare()
            return reading

    async def aclose(self) -> None:
        """End the spare process; those at work end with their tasks."""
        self._is_open = False
        spare, self._spare = self._spare, None
        if spare is not None:
            await spare.stop()

    @asynccontextmanager
    async def _slot(self) -> AsyncGenerator[None]:
        if self._waiting >= self._limits.waiting and self._slots.locked():
            raise FilesBusyError(waiting=self._waiting)
        self._waiting += 1
        try:
            await self._slots.acquire()
        finally:
            self._waiting -= 1
        try:
            yield
        finally:
            self._slots.release()

    async def _read(self, file: SharedFile, text_bytes: int, *, ocr: bool) -> Reading:
        job = Job(form_of(file), (file.content,), self._limits.file, text_bytes)
        found = await self._do(job)
        if found.pages:
            return await self._with_words(found.reading, found.pages, text_bytes)
        if ocr and found.reading.picture is not None:
            pictures = (found.reading.picture.content,)
            return await self._with_words(found.reading, pictures, text_bytes)
        return found.reading

    async def _do(self, job: Job) -> Found:
        spare, self._spare = self._spare, None
        if spare is not None:
            with suppress(LostWorkerError):
                return await spare.do(job)
        worker = await Worker.start()
        return await worker.do(job)

    async def _prepare(self) -> None:
        """Start the next process while our place is still ours: there are never too many."""
        if self._spare is None and self._is_open:
            with suppress(UpstreamError):
                self._spare = await Worker.start()

    async def _with_words(
        self, reading: Reading, pictures: tuple[bytes, ...], text_bytes: int
    ) -> Reading:
        """Add what OCR finds in *pictures*, which we made ourselves."""
        if not has_ocr():
            scanned = "file_reason.scanned" if reading.picture is None else "file_reason.no_ocr"
            raise FileUnreadableError(scanned)
        job = Job("ocr", pictures, self._limits.ocr, text_bytes)
        words = (await self._do(job)).reading
        if reading.picture is None and not words.text:
            raise FileUnreadableError("file_reason.blank")
        return replace(reading, text=words.text, is_cut=reading.is_cut or words.is_cut)


def has_ocr() -> bool:
    """Whether the `ocr` extra is installed."""
    return all(find_spec(name) is not None for name in ("rapidocr", "onnxruntime"))


def form_of(file: SharedFile) -> str:
    """Return the form of a job that reads *file*."""
    return "text" if file.type.kind is FileKind.TEXT else file.type.extension
