"""What a worker is asked and what it answers, as bytes on its standard input and output.

A frame is its length (4 bytes, big-endian) and MessagePack. A worker says
`TAKEN` between the two. One job, one answer.
"""

from struct import Struct as Layout

import msgspec

from palabre.core.media.model import MAX_READ_BYTES, Reading

LENGTH = Layout(">I")
TAKEN = b"+"
"""Said by a worker that has all of its job, before it looks at the file."""

MAX_ANSWER_BYTES = 48 * 1024 * 1024
"""Ten minutes of sound are 19 MB, five pages at their worst 25 MB. A worker that says more than
this is no longer ours."""


class Limits(msgspec.Struct, frozen=True):
    """What one job may take.

    Attributes:
        memory_bytes: Of private memory, the interpreter's own included; files that are mapped,
            such as libraries, come on top.
        cpu_s: Seconds of computing.
        wall_s: Seconds on the clock. The parent sees to this one.
    """

    memory_bytes: int
    cpu_s: int
    wall_s: float


class Job(msgspec.Struct, frozen=True):
    """One file to read.

    Attributes:
        form: Which reader is meant: a file's extension, `text` for all plain text, or `ocr`.
        contents: The file; pages as pictures for `ocr`.
        text_bytes: Most text that is wanted, in UTF-8.
    """

    form: str
    contents: tuple[bytes, ...]
    limits: Limits
    text_bytes: int = MAX_READ_BYTES


class Found(msgspec.Struct, frozen=True, tag=True):
    """What is in the file.

    Attributes:
        pages: Pictures of pages that have no text of their own, for OCR.
    """

    reading: Reading
    pages: tuple[bytes, ...] = ()


class Failed(msgspec.Struct, frozen=True, tag=True):
    """Why it cannot be read.

    Attributes:
        reason, data: As of `FileUnreadableError`.
        detail: What went wrong, for our log; never words of the file.
    """

    reason: str
    data: dict[str, str | int | float] = {}
    detail: str = ""


Answer = Found | Failed
_encoder = msgspec.msgpack.Encoder()
_jobs = msgspec.msgpack.Decoder(Job)
_answers = msgspec.msgpack.Decoder[Answer](Answer)


def to_frame(content: Job | Answer) -> bytes:
    """Return the bytes of *content*."""
    payload = _encoder.encode(content)
    return LENGTH.pack(len(payload)) + payload


def job_of(payload: bytes) -> Job:
    """Return the job in *payload*, which comes from our parent."""
    return _jobs.decode(payload)


def answer_of(payload: bytes) -> Answer:
    """Return the answer in *payload*.

    Raises:
        msgspec.DecodeError: It is none: a hostile file took the worker over.
    """
    return _answers.decode(payload)
