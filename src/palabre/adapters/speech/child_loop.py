"""The child's side of `child`: requests on standard input, sounds on standard output.

A request is its length (4 bytes, big-endian) and JSON `{"words", "voice", "language"}`; an answer
is a letter, a length and that many bytes: `w` a WAV, `n` nothing to say, `e` the reason why not.
A child is run as `python -m <module> <parent's process id> <options as JSON>`. It ends when
standard input does, and on Linux also with its parent.
"""

import ctypes
import io
import json
import os
import signal
import struct
import sys
import wave
from collections.abc import Callable
from typing import Any, BinaryIO, TypedDict

PR_SET_PDEATHSIG = 1
LENGTH = struct.Struct(">I")


class Request(TypedDict):
    """What is to be said."""

    words: str
    voice: str
    language: str


Options = dict[str, Any]
Say = Callable[[Request], tuple[bytes, int]]
"""Returns samples (16 bit, one channel) and their rate in Hz; no samples if it says nothing."""


def serve(prepare: Callable[[Options], Say]) -> None:
    """Answer requests until there are no more."""
    _die_with(int(sys.argv[1]))
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever libraries print goes to standard error
    requests = sys.stdin.buffer
    say: Say | None = None
    while (request := _read(requests)) is not None:
        try:
            say = say or prepare(json.loads(sys.argv[2]))
            samples, rate_hz = say(request)
            if samples:
                _tell(answers, b"w", _wav(samples, rate_hz))
            else:
                _tell(answers, b"n", b"")
        except Exception as error:  # noqa: BLE001 - outermost loop: the parent is told
            _tell(answers, b"e", (str(error) or type(error).__name__).encode()[:1000])


def _read(requests: BinaryIO) -> Request | None:
    head = requests.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(head)
    request: Request = json.loads(requests.read(length))
    return request


def _tell(answers: BinaryIO, kind: bytes, content: bytes) -> None:
    answers.write(kind + LENGTH.pack(len(content)) + content)
    answers.flush()


def _wav(samples: bytes, rate_hz: int) -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(2)
        writer.setframerate(rate_hz)
        writer.writeframes(samples)
    return file.getvalue()


def _die_with(parent: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
