"""Shared files that are read without a process of their own."""

import asyncio

from palabre.adapters.media.job import Failed, Found, Job
from palabre.adapters.media.signature_typer import SignatureFileTyper
from palabre.adapters.media.worker_program import answer
from palabre.adapters.media.worker_reader import FILE_LIMITS, form_of
from palabre.core.media.errors import FileUnreadableError
from palabre.core.media.model import MAX_READ_BYTES, Reading, SharedFile


def shared_file(name: str, content: bytes) -> SharedFile:
    """Return a file of the type that its first bytes say."""
    return SharedFile(name, content, SignatureFileTyper().type_of(name, content))


class InProcessFileReader:
    """Reads honest files as workers do, in a thread: no limits, no OCR."""

    async def read(
        self, file: SharedFile, *, ocr: bool = False, text_bytes: int = MAX_READ_BYTES
    ) -> Reading:
        if ocr:
            raise FileUnreadableError("file_reason.no_ocr")
        job = Job(form_of(file), (file.content,), FILE_LIMITS, text_bytes)
        return _reading(await asyncio.to_thread(answer, job))

    async def aclose(self) -> None:
        pass


def _reading(found: Found | Failed) -> Reading:
    if isinstance(found, Failed):
        raise FileUnreadableError(found.reason, **found.data)
    if found.pages:
        raise FileUnreadableError("file_reason.scanned")
    return found.reading
