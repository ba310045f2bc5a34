"""Recordings: decoded, mixed down to one channel, no longer than transcribers are given."""

import io
import wave
from collections.abc import Iterator
from importlib.util import find_spec

from palabre.adapters.media.job import Found, Job
from palabre.core.media.errors import FileUnreadableError
from palabre.core.media.model import Reading
from palabre.core.speech.model import SAMPLE_RATE_HZ

MAX_LENGTH_S = 600
SAMPLE_BYTES = 2
MAX_SAMPLES = MAX_LENGTH_S * SAMPLE_RATE_HZ


def read(job: Job) -> Found:
    """Read a recording; what follows its tenth minute is left out."""
    if find_spec("av") is not None:
        from palabre.adapters.media.kinds.ffmpeg_sound import samples  # noqa: PLC0415
    elif job.form == "wav":
        from palabre.adapters.media.kinds.wave_sound import samples  # noqa: PLC0415
    else:
        raise FileUnreadableError("file_reason.no_library", library="av")
    pieces, is_cut = _bounded(samples(job.contents[0], job.form))
    if not pieces:
        raise FileUnreadableError("file_reason.no_sound")
    return Found(Reading(wav=_wav(pieces), is_cut=is_cut))


def _bounded(pieces: Iterator[bytes]) -> tuple[list[bytes], bool]:
    """Take *pieces* up to `MAX_SAMPLES`, counted as they come; whether there were more."""
    left_bytes, taken = MAX_SAMPLES * SAMPLE_BYTES, list[bytes]()
    for piece in pieces:
        if len(piece) > left_bytes:
            return [*taken, piece[:left_bytes]], True
        taken.append(piece)
        left_bytes -= len(piece)
    return taken, False


def _wav(pieces: list[bytes]) -> bytes:
    held = io.BytesIO()
    with wave.open(held, "wb") as target:
        target.setnchannels(1)
        target.setsampwidth(SAMPLE_BYTES)
        target.setframerate(SAMPLE_RATE_HZ)
        for piece in pieces:
            target.writeframesraw(piece)
    return held.getvalue()
