"""Reads one file in a process of its own.

Run as `python -m palabre.adapters.media.worker_program <parent's process id>`. It waits for one
job on standard input, answers on standard output, and ends; it ends also when standard input does.
"""

import os
import sys
from collections.abc import Callable
from importlib import import_module
from typing import cast

from palabre.adapters.media.confinement import confine, limit
from palabre.adapters.media.job import LENGTH, TAKEN, Answer, Failed, Found, Job, job_of, to_frame
from palabre.core.media.errors import FileUnreadableError

MIB = 1024 * 1024
_LIBXML_NO_MEMORY = 2
READERS = {
    **dict.fromkeys(("png", "jpg", "webp", "gif"), "picture"),
    **dict.fromkeys(("wav", "mp3", "ogg", "m4a", "flac"), "sound"),
    "text": "plain_text",
    "pdf": "pdf",
    "docx": "word",
    "xlsx": "sheets",
    "pptx": "slides",
    "ocr": "ocr",
}
"""Form of a job -> its reader in `kinds`, imported when it is needed."""


def main() -> None:
    """Do one job."""
    confine(int(sys.argv[1]))
    output = _private_stdout()
    payload = _payload()
    if payload:
        job = job_of(payload)
        _write(output, TAKEN)
        limit(job.limits)
        _write(output, to_frame(answer(job)))
    os._exit(0)  # Libraries that a hostile file confused are not asked to tidy up.


def answer(job: Job) -> Answer:
    """Read the file; whatever is wrong with it is an answer too."""
    try:
        return _reader(job.form)(job)
    except FileUnreadableError as error:
        return Failed(error.reason, error.data)
    except ImportError as error:
        return Failed("file_reason.no_library", {"library": error.name or "?"})
    except Exception as error:  # noqa: BLE001 - a damaged file fails in any way, our last word
        if _is_out_of_memory(error):
            return Failed("file_reason.memory", {"limit_mb": job.limits.memory_bytes // MIB})
        return Failed("file_reason.damaged", detail=type(error).__name__)


def _is_out_of_memory(error: Exception) -> bool:
    code: object = getattr(error, "code", None)
    return isinstance(error, MemoryError) or (
        type(error).__name__ == "XMLSyntaxError" and code == _LIBXML_NO_MEMORY
    )


def _reader(form: str) -> Callable[[Job], Found]:
    module = import_module(f"palabre.adapters.media.kinds.{READERS[form]}")
    return cast("Callable[[Job], Found]", module.read)


def _private_stdout() -> int:
    """Keep standard output for our answer: what libraries print goes to standard error."""
    output = os.dup(1)
    os.dup2(2, 1)
    return output


def _payload() -> bytes:
    """Return the job's bytes; nothing when the parent wants none done."""
    head = sys.stdin.buffer.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return b""
    size: int = LENGTH.unpack(head)[0]
    payload = sys.stdin.buffer.read(size)
    return payload if len(payload) == size else b""


def _write(output: int, frame: bytes) -> None:
    rest = memoryview(frame)
    while rest:
        rest = rest[os.write(output, rest) :]


if __name__ == "__main__":
    main()
