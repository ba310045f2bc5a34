"""Plain WAV without FFmpeg: 8, 16, 24 or 32 bit samples, any rate and number of channels."""

import io
import wave
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from palabre.core.media.errors import FileUnreadableError
from palabre.core.speech.model import SAMPLE_RATE_HZ

Values = NDArray[np.float32]
_PIECE_S = 10
_MAX_RATE_HZ = 384_000
_MAX_CHANNELS = 32


def samples(content: bytes, form: str) -> Iterator[bytes]:
    """Yield 16-bit samples of one channel at `SAMPLE_RATE_HZ`; sizes in the header may lie."""
    assert form == "wav"
    try:
        source = wave.open(io.BytesIO(content))  # noqa: SIM115 - closed with its memory
    except (wave.Error, EOFError, OSError) as error:
        raise FileUnreadableError("file_reason.damaged") from error
    rate_hz, channels = source.getframerate(), source.getnchannels()
    if not 0 < rate_hz <= _MAX_RATE_HZ or channels > _MAX_CHANNELS:
        raise FileUnreadableError("file_reason.damaged")
    frame_bytes = channels * source.getsampwidth()
    while piece := source.readframes(rate_hz * _PIECE_S):
        whole = piece[: len(piece) // frame_bytes * frame_bytes]
        mono = _mono(whole, source.getsampwidth(), channels)
        yield _resampled(mono, rate_hz).astype("<i2").tobytes()


def _mono(piece: bytes, width: int, channels: int) -> Values:
    """Return the mean of the channels, as 16-bit values: of wide samples the highest two bytes."""
    if width == 1:
        values = (np.frombuffer(piece, np.uint8).astype(np.float32) - 128) * 256
    else:
        bytes_ = np.frombuffer(piece, np.uint8).reshape(-1, width)[:, -2:]
        values = np.ascontiguousarray(bytes_).view("<i2").astype(np.float32).ravel()
    return np.asarray(values.reshape(-1, channels).mean(axis=1), np.float32)


def _resampled(values: Values, rate_hz: int) -> Values:
    count = round(len(values) * SAMPLE_RATE_HZ / rate_hz)
    places = np.arange(count) * (rate_hz / SAMPLE_RATE_HZ)
    return np.asarray(np.interp(places, np.arange(len(values)), values), np.float32)
