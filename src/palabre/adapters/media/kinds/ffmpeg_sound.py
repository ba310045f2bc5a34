"""Sound of every kind, decoded by FFmpeg's libraries."""

import io
from collections.abc import Iterator

import av
from av.audio.frame import AudioFrame
from av.audio.resampler import AudioResampler

from palabre.core.media.errors import FileUnreadableError
from palabre.core.speech.model import SAMPLE_RATE_HZ

DEMUXERS = {"wav": "wav", "mp3": "mp3", "ogg": "ogg", "m4a": "mp4", "flac": "flac"}
"""By extension: a file is read as what its first bytes say, whatever else it may be."""


def samples(content: bytes, form: str) -> Iterator[bytes]:
    """Yield 16-bit samples of one channel at `SAMPLE_RATE_HZ`; what is damaged ends them."""
    try:
        container = av.open(
            io.BytesIO(content), "r", format=DEMUXERS[form], metadata_errors="ignore"
        )
    except (av.FFmpegError, ValueError) as error:
        raise FileUnreadableError("file_reason.damaged") from error
    with container:
        if not container.streams.audio:
            raise FileUnreadableError("file_reason.no_sound")
        yield from _decoded(container)


def _decoded(container: av.container.InputContainer) -> Iterator[bytes]:
    stream = container.streams.audio[0]
    stream.codec_context.thread_count = 1
    resampler = AudioResampler(format="s16", layout="mono", rate=SAMPLE_RATE_HZ)
    try:
        for frame in container.decode(stream):
            yield from map(_bytes, resampler.resample(frame))
        yield from map(_bytes, resampler.resample(None))
    except (av.FFmpegError, ValueError):
        return


def _bytes(frame: AudioFrame) -> bytes:
    """Return the samples without the padding that follows them."""
    return bytes(frame.planes[0])[: frame.samples * 2]
