"""WAV: read whatever others write, write 16-bit PCM with one channel and right sizes."""

import io
import wave
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from palabre.core.models.errors import OddAnswerError
from palabre.wire.wav import NoWavError, read_header

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_SOUND_S = 60
MIN_SOUND_S = 0.02
MIN_RATE_HZ, MAX_RATE_HZ = 4_000, 192_000
MAX_CHANNELS = 8
FULL_SCALE = 2**15


@dataclass(frozen=True, slots=True)
class Sound:
    """Samples of one channel, between -1 and 1."""

    samples: "NDArray[np.float32]"
    rate_hz: int

    @property
    def duration_s(self) -> float:
        """How long it lasts."""
        return len(self.samples) / self.rate_hz

    @property
    def loudness(self) -> float:
        """Root of the mean square of the samples; 0 for no samples."""
        if not len(self.samples):
            return 0.0
        return float(np.sqrt(np.mean(np.square(self.samples, dtype=np.float64))))

    def at_rate(self, rate_hz: int) -> "Sound":
        """Return it with another sample rate, without what that cannot hold."""
        if rate_hz == self.rate_hz or not len(self.samples):
            return Sound(self.samples, rate_hz)
        count = max(round(len(self.samples) * rate_hz / self.rate_hz), 1)
        spectrum = np.fft.rfft(self.samples)[: count // 2 + 1]
        samples = np.fft.irfft(spectrum, count) * (count / len(self.samples))
        return Sound(samples.astype(np.float32), rate_hz)


def read_wav(content: bytes, service: str = "WAV") -> Sound:
    """Return the sound in *content*; several channels become one.

    Args:
        content: A WAV of integers of 8, 16, 24 or 32 bits, or of floats.
        service: Whom to blame.

    Raises:
        OddAnswerError: It is no such WAV.
    """
    try:
        header = read_header(content)
    except NoWavError as error:
        raise OddAnswerError(service=service, detail=str(error)) from error
    channels, rate_hz = header.channels, header.rate_hz
    if not (1 <= channels <= MAX_CHANNELS and MIN_RATE_HZ <= rate_hz <= MAX_RATE_HZ):
        raise OddAnswerError(service=service, detail=f"{channels} channels, {rate_hz} Hz")
    samples = _samples(header.samples_in(content), header.kind, header.bits, service)
    whole = len(samples) // channels * channels
    return Sound(samples[:whole].reshape(-1, channels).mean(axis=1, dtype=np.float32), rate_hz)


def write_wav(sound: Sound) -> bytes:
    """Return *sound* as a WAV of 16 bits and one channel."""
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(2)
        writer.setframerate(sound.rate_hz)
        writer.writeframes(_pcm(sound))
    return file.getvalue()


def samples_at(content: bytes, rate_hz: int) -> bytes:
    """Return the samples (16 bit, one channel) of the WAV *content* at *rate_hz*.

    Raises:
        OddAnswerError: It is no WAV.
    """
    return _pcm(read_wav(content).at_rate(rate_hz))


def _pcm(sound: Sound) -> bytes:
    scaled = np.clip(np.round(sound.samples * FULL_SCALE), -FULL_SCALE, FULL_SCALE - 1)
    return scaled.astype("<i2").tobytes()


def checked_wav(content: bytes, service: str) -> bytes:
    """Return the sound in *content* as our WAV, cut at `MAX_SOUND_S`.

    Raises:
        OddAnswerError: It is no WAV, or as good as empty.
    """
    sound = read_wav(content, service)
    if sound.duration_s < MIN_SOUND_S:
        raise OddAnswerError(service=service, detail=f"{sound.duration_s:.3f} s")
    return write_wav(Sound(sound.samples[: MAX_SOUND_S * sound.rate_hz], sound.rate_hz))


def _samples(data: bytes, kind: int, bits: int, service: str) -> "NDArray[np.float32]":
    return _numbers(data, kind, bits, service).astype(np.float32)


def _numbers(data: bytes, kind: int, bits: int, service: str) -> "NDArray[np.floating]":
    data = data[: len(data) // max(bits // 8, 1) * max(bits // 8, 1)]
    match kind, bits:
        case 1, 8:
            return (np.frombuffer(data, np.uint8) - 128.0) / 128
        case 1, 16:
            return np.frombuffer(data, "<i2") / FULL_SCALE
        case 1, 24:
            padded = np.zeros((len(data) // 3, 4), np.uint8)
            padded[:, 1:] = np.frombuffer(data, np.uint8).reshape(-1, 3)
            return np.frombuffer(padded.tobytes(), "<i4") / 2**31
        case 1, 32:
            return np.frombuffer(data, "<i4") / 2**31
        case 3, 32 | 64:
            width = np.dtype(f"<f{bits // 8}")
            floats = np.nan_to_num(np.frombuffer(data, width).astype(np.float32), nan=0.0)
            return np.clip(floats, -1.0, 1.0)
        case _:
            raise OddAnswerError(service=service, detail=f"format {kind}, {bits} bit")
