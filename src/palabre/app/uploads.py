"""Shared files: who reads them, within which limits."""

from palabre.adapters.media.job import Limits
from palabre.adapters.media.worker_reader import MIB, ReadingLimits, WorkerFileReader
from palabre.app.settings.uploads import UploadsSettings


def file_reader(settings: UploadsSettings) -> WorkerFileReader:
    """Return a reader with the limits of *settings*; its processes start with the first file."""
    usual = ReadingLimits()
    return WorkerFileReader(
        ReadingLimits(
            processes=settings.workers,
            waiting=settings.max_waiting,
            file=Limits(settings.memory_mb * MIB, settings.cpu_s, settings.timeout_s),
            ocr=Limits(usual.ocr.memory_bytes, usual.ocr.cpu_s, settings.timeout_s),
        )
    )
